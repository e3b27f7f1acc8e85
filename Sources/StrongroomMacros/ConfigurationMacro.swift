#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Makes a type a configuration that is discovered without registration.
struct ConfigurationMacro {}

extension ConfigurationMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        protocols.isEmpty ? [] : [try ExtensionDeclSyntax("extension \(type.trimmed): Strongroom.Configuration {}")]
    }
}

extension ConfigurationMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let model = ConfigurationModel(node, declaration, in: context) else { return [] }
        return model.code.map { "\(raw: $0)" }
    }
}
#endif

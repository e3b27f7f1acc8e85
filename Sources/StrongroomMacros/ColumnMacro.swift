#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

/// Configures how a property is stored; evaluated by the macro of its type.
struct ColumnMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        node.refuseUnlessStored(declaration, context)
        return []
    }
}

/// Excludes a property from the table; evaluated by the macro of its type.
struct IgnoredMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        node.refuseUnlessStored(declaration, context)
        return []
    }
}

extension AttributeSyntax {
    fileprivate func refuseUnlessStored(
        _ declaration: some DeclSyntaxProtocol, _ context: some MacroExpansionContext
    ) {
        if let variable = declaration.as(VariableDeclSyntax.self), variable.isStored { return }
        let name = attributeName.trimmedDescription.split(separator: ".").last ?? ""
        context.diagnose(Refusal.notAColumn(String(name)).at(self))
    }
}
#endif

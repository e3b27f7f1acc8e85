#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

/// Makes a struct a record.
struct RecordMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        // @Table reports this case.
        guard declaration.attributes.named("Table") == nil,
            let model = RecordModel.read(declaration, node, needsKey: false, in: context)
        else { return [] }
        return [try .generated(of: type, protocols, model.columnsCode + model.keyCode + model.mappingCode)]
    }
}
#endif

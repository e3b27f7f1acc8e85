#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

/// Makes a struct a table and its record, or a type an additional table of another type's records.
struct TableMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let arguments = TableArguments(node, in: context) else { return [] }
        if let record = arguments.record {
            guard acceptsFurtherTable(declaration, context) else { return [] }
            let members = arguments.furtherTable(of: record, declaration.modifiers.access.memberPrefix)
            let table = protocols.filter { $0.trimmedDescription.hasSuffix("Table") }
            return [try .generated(of: type, table, members)]
        }
        if let record = declaration.attributes.named("Record") {
            context.diagnose(Refusal.twoMacros().at(record))
            return []
        }
        guard let model = RecordModel.read(declaration, node, needsKey: true, in: context) else { return [] }
        let members = model.columnsCode + model.tableCode(arguments) + model.keyCode + model.mappingCode
        return [try .generated(of: type, protocols, members)]
    }

    private static func acceptsFurtherTable(
        _ declaration: some DeclGroupSyntax, _ context: some MacroExpansionContext
    ) -> Bool {
        guard declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self) else {
            context.diagnose(Refusal.notAStruct("Table").at(declaration.introducer))
            return false
        }
        for member in declaration.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isStored else { continue }
            context.diagnose(Refusal.storedProperties().at(variable))
            return false
        }
        return true
    }
}
#endif

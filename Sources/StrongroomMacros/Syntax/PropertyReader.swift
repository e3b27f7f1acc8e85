#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads a type's stored properties.
struct PropertyReader {
    private(set) var properties: [PropertyModel] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(_ members: MemberBlockItemListSyntax) {
        for member in members {
            if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                if Self.hasStoredProperty(condition) { diagnostics.append(Refusal.conditional().at(condition)) }
            } else if let variable = member.decl.as(VariableDeclSyntax.self) {
                read(variable, in: member)
            }
        }
        refuseDuplicates()
    }

    private mutating func read(_ variable: VariableDeclSyntax, in member: MemberBlockItemSyntax) {
        guard variable.isStored else { return }
        guard variable.bindings.count == 1, let binding = variable.bindings.first else {
            let fixIts = variable.split(in: member).map { [$0] } ?? []
            diagnostics.append(Refusal.severalProperties().at(variable, fixIts: fixIts))
            return
        }
        guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
            diagnostics.append(Refusal.pattern().at(binding.pattern))
            return
        }
        let relation = variable.attributes.relation
        let column = variable.attributes.named("Column")
        if let ignored = relation ?? variable.attributes.named("Ignored") {
            if column != nil {
                diagnostics.append(Refusal.columnAndIgnored(identifier.text, ignored.shortName).at(ignored))
            }
            if let relation {
                checkRelation(relation, binding, identifier)
            } else {
                checkIgnored(variable, binding, identifier)
            }
        } else {
            readColumn(variable, binding, identifier, column)
        }
    }

    private mutating func checkIgnored(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ identifier: TokenSyntax
    ) {
        let isVariable = !variable.isConstant
        let type = binding.typeAnnotation?.type
        let isNilAtFirst = isVariable && (type?.is(OptionalTypeSyntax.self) ?? false)
        guard binding.initializer == nil, !isNilAtFirst else { return }
        let fixIt = binding.beginning(with: "<#value#>")
        diagnostics.append(Refusal.ignoredWithoutValue(identifier.text).at(binding.pattern, fixIts: [fixIt]))
    }

    private mutating func checkRelation(
        _ relation: AttributeSyntax, _ binding: PatternBindingSyntax, _ identifier: TokenSyntax
    ) {
        guard binding.initializer == nil else { return }
        let name = relation.shortName
        let value = name == "HasMany" ? "[]" : "nil"
        diagnostics.append(
            Refusal.relationWithoutValue(identifier.text, name, value)
                .at(binding.pattern, fixIts: [binding.beginning(with: value)]))
    }

    private mutating func readColumn(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ identifier: TokenSyntax,
        _ column: AttributeSyntax?
    ) {
        if variable.modifiers.contains(.lazy) {
            diagnostics.append(Refusal.lazy(identifier.text).at(variable, fixIts: [variable.ignoring]))
            return
        }
        if variable.isConstant, binding.initializer != nil {
            diagnostics.append(
                Refusal.constant(identifier.text)
                    .at(variable.bindingSpecifier, fixIts: [variable.asVariable, variable.ignoring]))
            return
        }
        let literal = binding.initializer?.value.literalType
        guard let type = binding.typeAnnotation?.type.trimmed ?? literal.map({ TypeSyntax("\(raw: $0)") }) else {
            diagnostics.append(
                Refusal.noType(identifier.text).at(binding.pattern, fixIts: [binding.withTypePlaceholder]))
            return
        }
        let arguments = column.map { ColumnArguments($0, &diagnostics) } ?? ColumnArguments()
        if arguments.encoding == nil, let list = type.listKind {
            diagnostics.append(
                Refusal.list(identifier.text, list)
                    .at(binding.typeAnnotation?.type ?? type, fixIts: [variable.storedAsJSON, variable.ignoring]))
            return
        }
        if arguments.encoding == nil || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self),
            let kind = type.unsuitableKind
        {
            diagnostics.append(
                Refusal.unsuitableType(identifier.text, kind)
                    .at(binding.typeAnnotation?.type ?? type, fixIts: [variable.ignoring]))
            return
        }
        if let node = arguments.scaleNode, !type.isDecimal || arguments.encoding != nil {
            diagnostics.append(Refusal.scaleOfOtherType(identifier.text, type.trimmedDescription).at(node))
        }
        checkForm(arguments, identifier.text, type, isKey: arguments.primaryKey == true)
        checkKept(arguments, identifier.text, type, isConstant: variable.isConstant)
        let initial = binding.initializer.map { InitialValue($0.value, of: type) }
        if let initial, let given = arguments.defaultValue, initial.differs(from: InitialValue(given, of: type)) {
            diagnostics.append(Refusal.twoDefaults(identifier.text).at(given))
        }
        properties.append(
            PropertyModel(
                identifier: identifier, type: type, typeText: type.trimmedDescription,
                isConstant: variable.isConstant, access: variable.modifiers.access, column: arguments,
                initialValue: arguments.takesInitialValue ? initial?.source : nil))
    }

    private mutating func checkForm(
        _ arguments: ColumnArguments, _ name: String, _ type: TypeSyntax, isKey: Bool
    ) {
        guard let form = arguments.dateForm, let node = arguments.encodingNode else { return }
        if !type.isDate { diagnostics.append(Refusal.formOfOtherType(name, form, type.trimmedDescription).at(node)) }
        if isKey { diagnostics.append(Refusal.formOfKey(name).at(node)) }
    }

    private mutating func checkKept(
        _ arguments: ColumnArguments, _ name: String, _ type: TypeSyntax, isConstant: Bool
    ) {
        guard let kept = arguments.kept, let node = arguments.keptNode else { return }
        let isSuitable = kept == .version ? type.isRowID && type.wrapped == nil : type.isDate
        if !isSuitable || isConstant || arguments.primaryKey == true || arguments.isGenerated
            || arguments.encoding != nil
        {
            diagnostics.append(Refusal.keptOfOtherType(name, kept.rawValue, type.trimmedDescription).at(node))
        }
        if properties.contains(where: { $0.column.kept == kept }) {
            diagnostics.append(Refusal.keptTwice(kept.rawValue).at(node))
        }
    }

    private mutating func refuseDuplicates() {
        var seen: Set<String> = []
        for property in properties where !seen.insert(property.columnName.lowercased()).inserted {
            let refusal = Refusal.duplicateColumn(property.columnName)
            diagnostics.append(property.column.nameNode.map { refusal.at($0) } ?? refusal.at(property.identifier))
        }
    }

    private static func hasStoredProperty(_ condition: IfConfigDeclSyntax) -> Bool {
        condition.clauses.contains { clause in
            guard case .decls(let members) = clause.elements else { return false }
            return members.contains { member in
                if let nested = member.decl.as(IfConfigDeclSyntax.self) { return hasStoredProperty(nested) }
                guard let variable = member.decl.as(VariableDeclSyntax.self) else { return false }
                return variable.isStored && variable.attributes.named("Ignored") == nil
                    && variable.attributes.relation == nil
            }
        }
    }
}
#endif

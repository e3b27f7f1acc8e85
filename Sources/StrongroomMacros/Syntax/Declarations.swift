#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

extension AttributeListSyntax {
    /// The attribute with a name, also as `@Strongroom.Name`.
    func named(_ name: String) -> AttributeSyntax? {
        for case .attribute(let attribute) in self
        where [name, "Strongroom.\(name)"].contains(attribute.attributeName.trimmedDescription) {
            return attribute
        }
        return nil
    }

    /// The attribute that makes a property a relation.
    var relation: AttributeSyntax? { named("HasMany") ?? named("HasOne") ?? named("BelongsTo") }
}

extension AttributeSyntax {
    /// The name without the module.
    var shortName: String { attributeName.trimmedDescription.split(separator: ".").last.map(String.init) ?? "" }

    /// The arguments in parentheses.
    var labeled: LabeledExprListSyntax {
        guard case .argumentList(let list) = arguments else { return LabeledExprListSyntax([]) }
        return list
    }

    /// The first argument, if it has no label.
    var unlabeled: ExprSyntax? {
        guard let first = labeled.first, first.label == nil else { return nil }
        return first.expression
    }

    func argument(_ label: String) -> ExprSyntax? {
        labeled.first { $0.label?.text == label }?.expression
    }
}

extension DeclModifierListSyntax {
    func contains(_ keywords: Keyword...) -> Bool {
        contains { modifier in keywords.contains { modifier.name.tokenKind == .keyword($0) } && modifier.detail == nil }
    }

    /// The access level; `private` counts as `fileprivate`.
    var access: Access {
        if contains(.public, .open) { return .public }
        if contains(.package) { return .package }
        return contains(.private, .fileprivate) ? .fileprivate : .internal
    }
}

/// Access levels, in ascending order.
enum Access: Int, Comparable {
    case `fileprivate`, `internal`, package, `public`

    static func < (first: Access, second: Access) -> Bool { first.rawValue < second.rawValue }

    /// The modifier and a space, or nothing.
    var prefix: String {
        switch self {
        case .fileprivate: "fileprivate "
        case .internal: ""
        case .package: "package "
        case .public: "public "
        }
    }

    /// The modifier for a member of a type: below internal, the type itself restricts access.
    var memberPrefix: String { self > .internal ? prefix : "" }
}

extension MacroExpansionContext {
    /// Whether an enclosing declaration is generic.
    var isInGenericType: Bool {
        lexicalContext.contains { $0.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil }
    }
}
#endif

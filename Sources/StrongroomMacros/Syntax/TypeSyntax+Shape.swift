#if Macros
import SwiftSyntax

extension TypeSyntax {
    /// The type inside `T?` or `Optional<T>`; nil for any other.
    var wrapped: TypeSyntax? {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType }
        if let tuple = self.as(TupleTypeSyntax.self), let only = tuple.onlyElement { return only.wrapped }
        let arguments: GenericArgumentListSyntax?
        if let type = self.as(IdentifierTypeSyntax.self), type.name.text == "Optional" {
            arguments = type.genericArgumentClause?.arguments
        } else if let type = self.as(MemberTypeSyntax.self), type.trimmedDescription.hasPrefix("Swift.Optional<") {
            arguments = type.genericArgumentClause?.arguments
        } else {
            return nil
        }
        guard let argument = arguments?.first?.argument, case .type(let type) = argument else { return nil }
        return type
    }

    /// A description of the type, if no column can store it.
    var unsuitableKind: String? {
        if self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return "an implicitly unwrapped optional" }
        if self.is(FunctionTypeSyntax.self) { return "a function" }
        if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.unsuitableKind }
        if let tuple = self.as(TupleTypeSyntax.self) {
            guard let only = tuple.onlyElement else { return "a tuple" }
            return only.unsuitableKind
        }
        return wrapped?.unsuitableKind
    }

    /// Whether it is `Decimal` or its optional.
    var isDecimal: Bool {
        ["Decimal", "Foundation.Decimal", "FoundationEssentials.Decimal"]
            .contains((wrapped ?? self).trimmedDescription)
    }

    /// Whether it is an integer type that can be the row id.
    var isRowID: Bool {
        ["Int", "Int64", "Swift.Int", "Swift.Int64"].contains((wrapped ?? self).trimmedDescription)
    }
}

extension TupleTypeSyntax {
    /// The element of a parenthesised type.
    fileprivate var onlyElement: TypeSyntax? {
        elements.count == 1 ? elements.first?.type : nil
    }
}
#endif

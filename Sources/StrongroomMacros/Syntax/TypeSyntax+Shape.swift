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

    /// Whether it is `Date` or its optional.
    var isDate: Bool {
        ["Date", "Foundation.Date", "FoundationEssentials.Date"].contains((wrapped ?? self).trimmedDescription)
    }

    /// What the type is, if it is an array of anything but bytes, a dictionary, or the optional of one.
    var listKind: String? {
        let type = wrapped ?? self
        if let array = type.as(ArrayTypeSyntax.self) {
            return ["UInt8", "Swift.UInt8"].contains(array.element.trimmedDescription) ? nil : "an array"
        }
        return type.is(DictionaryTypeSyntax.self) ? "a dictionary" : nil
    }

    /// Whether it is certainly a type that a column can store.
    var isKnownColumnValue: Bool {
        let name = (wrapped ?? self).trimmedDescription
        return Self.known.contains(name.split(separator: ".").last.map(String.init) ?? name)
    }

    private static let known: Set<String> = [
        "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float",
        "Double", "String", "Date", "Data", "UUID", "URL", "Decimal", "SQLValue", "[UInt8]", "UInt8]",
    ]

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

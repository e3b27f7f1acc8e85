#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// The initial value of a property, or the argument `default:`.
struct InitialValue {
    /// What can be compared in the source without knowing the types.
    private enum Constant: Equatable {
        case text(String)
        case number(String)
        case truth(Bool)
        /// A case of an enum, or a static constant of the property's type.
        case member(String)
    }

    private let constant: Constant?
    private let typeText: String

    /// - Parameter type: The property's type.
    init(_ expression: ExprSyntax, of type: TypeSyntax) {
        typeText = (type.wrapped ?? type).trimmedDescription
        let constant = Self.constant(expression, typeText)
        // For an optional, Swift takes it as nil, even if the wrapped type has a case of that name.
        let isNil = type.wrapped != nil && expression.trimmedDescription == ".none"
        self.constant = isNil ? nil : constant
    }

    /// The source of the constant; nil for nil, and for an expression that can have another value each time.
    var source: String? {
        switch constant {
        case .text(let text): text.swiftLiteral
        case .number(let digits): digits
        case .truth(let truth): "\(truth)"
        // With the type: `.none` would be nil.
        case .member(let name): "\(typeText).\(name)"
        case nil: nil
        }
    }

    /// Whether both are constants that are certainly not the same.
    func differs(from other: InitialValue) -> Bool {
        guard let constant, let given = other.constant else { return false }
        if case .number(let digits) = constant, case .number(let others) = given {
            return digits != others && Self.number(digits) != Self.number(others)
        }
        return constant != given
    }

    private static func constant(_ expression: ExprSyntax, _ type: String) -> Constant? {
        if let text = expression.literalText { return .text(text) }
        if let truth = expression.literalBoolean { return .truth(truth) }
        if expression.isNumber { return .number(expression.trimmedDescription) }
        guard let member = expression.as(MemberAccessExprSyntax.self), member.declName.argumentNames == nil,
            member.base == nil || member.base?.trimmedDescription == type
        else { return nil }
        let name = member.declName.baseName.text
        return isConstant(name, of: type) ? .member(name) : nil
    }

    /// Whether a static member is a constant: a case of an enum as a rule, and in types of Swift and Foundation, to
    /// which a program may have added members that are computed, one of the numbers' own.
    private static func isConstant(_ name: String, of type: String) -> Bool {
        guard !TypeSyntax("\(raw: type)").isKnownColumnValue else { return constants.contains(name) }
        return type.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." } && !changing.contains(name)
    }

    private static let constants: Set<String> = [
        "zero", "min", "max", "pi", "infinity", "greatestFiniteMagnitude", "leastNormalMagnitude",
        "leastNonzeroMagnitude", "ulpOfOne",
    ]

    /// Members that are computed by custom.
    private static let changing: Set<String> = ["now", "today", "current", "random", "init", "self"]

    private static func number(_ digits: String) -> Double? {
        let plain = digits.filter { $0 != "_" }
        return Double(plain) ?? Int(plain).map(Double.init)
    }
}

extension ExprSyntax {
    /// Whether it is a literal number, with or without a minus sign.
    fileprivate var isNumber: Bool {
        if self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self) { return true }
        guard let signed = self.as(PrefixOperatorExprSyntax.self), signed.operator.text == "-" else { return false }
        return signed.expression.is(IntegerLiteralExprSyntax.self) || signed.expression.is(FloatLiteralExprSyntax.self)
    }
}
#endif

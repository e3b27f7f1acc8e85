#if Macros
import SwiftParser
import SwiftSyntax

extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var literalText: String? {
        self.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }

    /// The value of an integer literal in decimal digits.
    var literalInteger: Int? {
        self.as(IntegerLiteralExprSyntax.self).flatMap { Int($0.literal.text) }
    }

    /// The value of `true` or `false`.
    var literalBoolean: Bool? {
        guard let literal = self.as(BooleanLiteralExprSyntax.self) else { return nil }
        return literal.literal.tokenKind == .keyword(.true)
    }

    /// The type that Swift infers for a literal.
    var literalType: String? {
        if self.is(StringLiteralExprSyntax.self) { return "Swift.String" }
        if self.is(BooleanLiteralExprSyntax.self) { return "Swift.Bool" }
        if self.is(IntegerLiteralExprSyntax.self) { return "Swift.Int" }
        if self.is(FloatLiteralExprSyntax.self) { return "Swift.Double" }
        guard let signed = self.as(PrefixOperatorExprSyntax.self), signed.operator.text == "-" else { return nil }
        return signed.expression.is(StringLiteralExprSyntax.self) ? nil : signed.expression.literalType
    }
}
#endif

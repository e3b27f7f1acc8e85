#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
import Strongroom

extension PredicateTranslation {
    /// Throws for a type whose arithmetic differs between the engine and Swift.
    ///
    /// - Parameter grows: Whether the result can be larger than both operands.
    static func checkArithmetic<T>(of type: T.Type, grows: Bool) throws {
        let isWide = type == UInt64.self || type == UInt.self
        let isInteger = type is any FixedWidthInteger.Type && type is any ColumnValue.Type
        guard type == Double.self || isInteger && !(isWide && grows) else {
            let advice = isWide ? "its results have more than 63 bits; use Int64" : "use Double or an integer"
            throw refusal("arithmetic of \(T.self)", advice)
        }
    }

    func arithmetic<T>(
        _ type: T.Type, _ left: PredicateTerm, _ sign: String, _ right: PredicateTerm
    ) throws -> PredicateTerm {
        try Self.checkArithmetic(of: type, grows: sign == " + " || sign == " * ")
        return PredicateTerm("(\(left.sql)\(SQL(verbatim: sign))\(right.sql))", isMaybeNaN: type == Double.self)
    }
}

extension PredicateExpressions.Arithmetic: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        let sign =
            switch op {
            case .add: " + "
            case .subtract: " - "
            case .multiply: " * "
            @unknown default: throw PredicateTranslation.refusal(of: Self.self)
            }
        return try translation.arithmetic(LHS.Output.self, translation.term(lhs), sign, translation.term(rhs))
    }
}

extension PredicateExpressions.IntDivision: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        try translation.arithmetic(LHS.Output.self, translation.term(lhs), " / ", translation.term(rhs))
    }
}

extension PredicateExpressions.IntRemainder: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        try translation.arithmetic(LHS.Output.self, translation.term(lhs), " % ", translation.term(rhs))
    }
}

extension PredicateExpressions.FloatDivision: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        let (left, right) = (try translation.term(lhs), try translation.term(rhs))
        let quotient = try translation.arithmetic(LHS.Output.self, left, " / ", right)
        if case .real(let divisor) = right.constant, divisor != 0 { return quotient }
        // Division by zero is NULL in the engine, and an infinity in Swift, or NaN if both are zero.
        let sign: SQL = "CASE WHEN \(left.sql) > 0 THEN 9e999 WHEN \(left.sql) < 0 THEN -9e999 END"
        let sql: SQL = "(CASE WHEN \(right.sql) = 0 THEN \(sign) ELSE \(quotient.sql) END)"
        return PredicateTerm(sql, isMaybeNaN: true)
    }
}

extension PredicateExpressions.UnaryMinus: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        try PredicateTranslation.checkArithmetic(of: Wrapped.Output.self, grows: false)
        let term = try translation.term(wrapped)
        return PredicateTerm("(- \(term.sql))", isMaybeNaN: term.isMaybeNaN)
    }
}

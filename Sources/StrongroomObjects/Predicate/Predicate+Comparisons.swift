#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
import Strongroom

extension PredicateTranslation {
    /// Whether two values are equal; never NULL, also for nil.
    func equality<T>(_ type: T.Type, _ left: PredicateTerm, _ right: PredicateTerm, negated: Bool) throws
        -> PredicateTerm
    {
        let column = try Self.columnType(type)
        guard !(column is any CodedColumnValue.Type) else {
            throw Self.refusal(
                "a comparison of \(T.self)", "equal values can be stored in different forms; compare a column")
        }
        let nilTest: SQL = negated ? "IS NOT NULL" : "IS NULL"
        if right.constant == .null { return PredicateTerm("(\(left.sql) \(nilTest))") }
        if left.constant == .null { return PredicateTerm("(\(right.sql) \(nilTest))") }
        let sign = column._isNullable ? (negated ? " IS NOT " : " IS ") : (negated ? " <> " : " = ")
        return try comparison(type, left, sign, right, whenNaN: negated)
    }

    func comparison<T>(
        _ type: T.Type, _ left: PredicateTerm, _ sign: String, _ right: PredicateTerm, whenNaN: Bool = false
    ) throws -> PredicateTerm {
        let (left, right) = try Self.compared(left, sign, right)
        var sql: SQL = "(\(left.sql)\(SQL(verbatim: sign))\(right.sql)"
        // A column's collation could treat "a" and "A" as equal.
        sql.append(text: try Self.isText(type) ? " COLLATE BINARY)" : ")")
        guard left.isMaybeNaN || right.isMaybeNaN else { return PredicateTerm(sql) }
        return PredicateTerm("ifnull(\(sql), \(SQL(verbatim: whenNaN ? "1" : "0")))")
    }

    /// Throws for a type whose order in the engine differs from Swift's.
    static func checkOrder<T>(of type: T.Type) throws {
        let isKnown =
            type is any FixedWidthInteger.Type || type == Double.self || type == Float.self
            || type == String.self || type == Substring.self || type == Date.self || type == UUID.self
            || type == Decimal.self
        guard try isKnown && columnType(type)._isNullable == false else {
            throw refusal(
                "an order of \(T.self)",
                "the engine sorts its stored form differently; compare a column with a number, text or date")
        }
    }
}

extension PredicateExpressions.Equal: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        try translation.equality(LHS.Output.self, translation.term(lhs), translation.term(rhs), negated: false)
    }
}

extension PredicateExpressions.NotEqual: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        try translation.equality(LHS.Output.self, translation.term(lhs), translation.term(rhs), negated: true)
    }
}

extension PredicateExpressions.Comparison: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        try PredicateTranslation.checkOrder(of: LHS.Output.self)
        let sign =
            switch op {
            case .lessThan: " < "
            case .lessThanOrEqual: " <= "
            case .greaterThan: " > "
            case .greaterThanOrEqual: " >= "
            @unknown default: throw PredicateTranslation.refusal(of: Self.self)
            }
        return try translation.comparison(LHS.Output.self, translation.term(lhs), sign, translation.term(rhs))
    }
}

extension PredicateExpressions.Conjunction: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        PredicateTerm("(\(try translation.term(lhs).sql) AND \(try translation.term(rhs).sql))")
    }
}

extension PredicateExpressions.Disjunction: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        PredicateTerm("(\(try translation.term(lhs).sql) OR \(try translation.term(rhs).sql))")
    }
}

extension PredicateExpressions.Negation: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        PredicateTerm("(NOT \(try translation.term(wrapped).sql))")
    }
}

extension PredicateExpressions.Conditional: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        let terms = (try translation.term(trueBranch), try translation.term(falseBranch))
        let (yes, no) = try PredicateTranslation.stored(terms.0, terms.1)
        let sql: SQL = "(CASE WHEN \(try translation.term(test).sql) THEN \(yes.sql) ELSE \(no.sql) END)"
        return PredicateTerm(sql.inForm(yes.sql.form), isMaybeNaN: yes.isMaybeNaN || no.isMaybeNaN)
    }
}

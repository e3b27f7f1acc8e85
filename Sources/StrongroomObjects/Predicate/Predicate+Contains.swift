#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
import Strongroom

/// A range captured by a predicate.
private protocol CapturedRange {
    associatedtype Bound: Comparable

    var smallest: Bound? { get }
    var largest: Bound? { get }
    var includesLargest: Bool { get }
}

extension ClosedRange: CapturedRange {
    fileprivate var smallest: Bound? { lowerBound }
    fileprivate var largest: Bound? { upperBound }
    fileprivate var includesLargest: Bool { true }
}

extension Range: CapturedRange {
    fileprivate var smallest: Bound? { lowerBound }
    fileprivate var largest: Bound? { upperBound }
    fileprivate var includesLargest: Bool { false }
}

extension PartialRangeFrom: CapturedRange {
    fileprivate var smallest: Bound? { lowerBound }
    fileprivate var largest: Bound? { nil }
    fileprivate var includesLargest: Bool { true }
}

extension PartialRangeUpTo: CapturedRange {
    fileprivate var smallest: Bound? { nil }
    fileprivate var largest: Bound? { upperBound }
    fileprivate var includesLargest: Bool { false }
}

extension PartialRangeThrough: CapturedRange {
    fileprivate var smallest: Bound? { nil }
    fileprivate var largest: Bound? { upperBound }
    fileprivate var includesLargest: Bool { true }
}

extension PredicateTranslation {
    fileprivate func membership<R: CapturedRange>(_ element: PredicateTerm, in range: R) throws -> PredicateTerm {
        try within(
            R.Bound.self, element, range.smallest.map { try term(value: $0) },
            range.largest.map { try term(value: $0) },
            includingUpper: range.includesLargest)
    }

    fileprivate func within<T>(
        _ type: T.Type, _ element: PredicateTerm, _ lower: PredicateTerm?, _ upper: PredicateTerm?, includingUpper: Bool
    ) throws -> PredicateTerm {
        try Self.checkOrder(of: type)
        let above = try lower.map { try comparison(type, element, " >= ", $0) }
        let below = try upper.map { try comparison(type, element, includingUpper ? " <= " : " < ", $0) }
        guard let above else { return below ?? PredicateTerm("1") }
        guard let below else { return above }
        return PredicateTerm("(\(above.sql) AND \(below.sql))")
    }

    /// Whether a list contains a value; never NULL, also for nil.
    fileprivate func membership<T>(_ element: PredicateTerm, in list: some Sequence<T>) throws -> PredicateTerm {
        let column = try Self.columnType(T.self)
        guard !(column is any CodedColumnValue.Type) else {
            throw Self.refusal(
                "a comparison of \(T.self)", "equal values can be stored in different forms; compare a column")
        }
        let values = try list.compactMap { try Self.compared(element, " = ", term(value: $0)).1.constant }
        let present = values.filter { $0 != .null }
        var sql: SQL = column.storageClass == .text ? "(\(element.sql) COLLATE BINARY IN (" : "(\(element.sql) IN ("
        if present.count <= ListTable.shortest {
            for (index, value) in present.enumerated() {
                if index > 0 { sql.append(text: ", ") }
                sql.append(value: value)
            }
        } else {
            sql.append(SQL(listing: present))
        }
        sql.append(text: "))")
        if element.isMaybeNaN { sql = "ifnull(\(sql), 0)" }
        guard column._isNullable else { return PredicateTerm(sql) }
        if present.count < values.count { return PredicateTerm("(\(element.sql) IS NULL OR \(sql))") }
        return PredicateTerm("(\(element.sql) IS NOT NULL AND \(sql))")
    }
}

extension PredicateExpressions.SequenceContains: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        guard !(LHS.Output.self is any StringProtocol.Type) else {
            throw PredicateTranslation.refusal("a search for a Character", "look for a String")
        }
        guard let list = translation.constant(sequence) else {
            throw PredicateTranslation.refusal(
                "a list that is not captured", "a column is no sequence; capture the list, or compare with each element"
            )
        }
        let element = try translation.term(element)
        // A range of integers is also a sequence, and can be long.
        if let range = list as? any CapturedRange { return try translation.membership(element, in: range) }
        return try translation.membership(element, in: list)
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        let element = try translation.term(element)
        if let bounds = range as? any PredicateBounds { return try bounds.contains(element, translation) }
        guard let captured = translation.constant(range) as? any CapturedRange else {
            throw PredicateTranslation.refusal(of: Self.self)
        }
        return try translation.membership(element, in: captured)
    }
}

/// A range whose bounds are expressions.
private protocol PredicateBounds {
    func contains(_ element: PredicateTerm, _ translation: PredicateTranslation) throws -> PredicateTerm
}

extension PredicateExpressions.ClosedRange: PredicateBounds {
    fileprivate func contains(_ element: PredicateTerm, _ translation: PredicateTranslation) throws -> PredicateTerm {
        try translation.within(
            LHS.Output.self, element, translation.term(lower), translation.term(upper), includingUpper: true)
    }
}

extension PredicateExpressions.Range: PredicateBounds {
    fileprivate func contains(_ element: PredicateTerm, _ translation: PredicateTranslation) throws -> PredicateTerm {
        try translation.within(
            LHS.Output.self, element, translation.term(lower), translation.term(upper), includingUpper: false)
    }
}

extension PredicateTranslation {
    /// A text as bytes, since the engine's text functions stop at a NUL.
    fileprivate func bytes<E: PredicateExpression>(_ expression: E) throws -> SQL {
        guard E.Output.self is any StringProtocol.Type else {
            throw Self.refusal("a search in \(E.Output.self)", "only texts are searched; look for a String in a String")
        }
        return "CAST(\(try term(expression).sql) AS BLOB)"
    }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        let (text, part) = (try translation.bytes(base), try translation.bytes(other))
        return PredicateTerm("(CASE WHEN length(\(part)) = 0 THEN 1 ELSE instr(\(text), \(part)) > 0 END)")
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        let (text, part) = (try translation.bytes(base), try translation.bytes(prefix))
        // `substr` returns NULL for an empty text.
        return PredicateTerm(
            "(CASE WHEN length(\(part)) = 0 THEN 1 ELSE ifnull(substr(\(text), 1, length(\(part))) = \(part), 0) END)")
    }
}

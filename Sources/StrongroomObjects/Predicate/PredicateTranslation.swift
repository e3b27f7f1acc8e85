#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
import Strongroom

/// A subexpression of a predicate in SQL.
///
/// If its Swift type is not optional, it is NULL only where Swift would trap or throw, or for a NaN.
struct PredicateTerm {
    var sql: SQL
    /// Whether NULL may represent NaN.
    var isMaybeNaN = false
    /// The value, if it is captured.
    var constant: SQLValue?

    init(_ sql: SQL, isMaybeNaN: Bool = false) {
        self.sql = sql
        self.isMaybeNaN = isMaybeNaN
    }
}

/// An expression that can be translated to SQL.
protocol TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm
}

/// The context of a predicate's translation to SQL.
struct PredicateTranslation {
    let record: PredicateExpressions.VariableID
    let recordName: String
    let column: (AnyKeyPath) -> String?
    /// The declared columns, for the scales of their decimals.
    let definitions: [ColumnDefinition]
    /// The terms of the variables of closures inside the predicate.
    var bound: [PredicateExpressions.VariableID: PredicateTerm] = [:]

    init<R: Record>(of predicate: Predicate<R>, _ definitions: [ColumnDefinition]) {
        self.definitions = definitions
        record = predicate.variable.key
        recordName = "\(R.self)"
        column = { path in (path as? PartialKeyPath<R>).flatMap { R._columnName(of: $0) } }
    }

    func term<E: PredicateExpression>(_ expression: E) throws -> PredicateTerm {
        if let part = expression as? any TranslatablePredicateExpression { return try part.term(in: self) }
        // Without a column, Swift can evaluate it.
        if let value = constant(expression) { return try term(value: value) }
        throw Self.refusal(of: E.self)
    }

    /// The value of an expression that contains no variable.
    func constant<E: PredicateExpression>(_ expression: E) -> E.Output? {
        try? expression.evaluate(PredicateBindings())
    }

    /// A captured value.
    func term<T>(value: T) throws -> PredicateTerm {
        try storable(value, as: try Self.columnType(T.self))
    }

    private func storable<T, V: ColumnValue>(_ value: T, as type: V.Type) throws -> PredicateTerm {
        guard let value = value as? V else {
            throw Self.refusal("a captured \(T.self)", "capture a value of its columns' type")
        }
        let stored = try value.stored()
        var sql = SQL(reserving: 1)
        sql.append(value: stored)
        var term = PredicateTerm(sql)
        term.constant = stored
        return term
    }

    /// The column type that stores values of a type.
    static func columnType<T>(_ type: T.Type) throws -> any ColumnValue.Type {
        guard let type = T.self as? any ColumnValue.Type else {
            throw refusal("a value of type \(T.self)", "make the type a ColumnValue, or compare a property that is one")
        }
        return type
    }

    static func isOptional<T>(_ type: T.Type) throws -> Bool { try columnType(type)._isNullable }

    static func isText<T>(_ type: T.Type) throws -> Bool { try columnType(type).storageClass == .text }
}

extension PredicateTranslation {
    static func refusal(_ construct: String, _ advice: String) -> StrongroomError {
        StrongroomError(
            .notTranslatable, "The predicate has \(construct), which SQL cannot express as Swift does; \(advice).")
    }

    /// The error for an expression that is not translated.
    static func refusal<E>(of type: E.Type) -> StrongroomError {
        let name = String("\(type)".prefix { $0 != "<" })
        let advice =
            switch name {
            case "StringLocalizedStandardContains", "StringLocalizedCompare", "StringCaseInsensitiveCompare":
                """
                the engine knows no language; compare exactly, use like() in a condition, or filter the records in Swift
                """
            case "StringContainsRegex", "PredicateRegex":
                "the engine has no regular expressions; use like() in a condition, or filter the records in Swift"
            case "Filter", "SequenceContainsWhere", "SequenceAllSatisfy", "SequenceMinimum", "SequenceMaximum":
                "a column is no sequence; keep the elements in a table of their own and join it"
            case "CollectionIndexSubscript", "CollectionRangeSubscript", "DictionaryKeySubscript",
                "DictionaryKeyDefaultValueSubscript":
                "keep the element in a column of its own"
            case "TypeCheck", "ConditionalCast", "ForceCast":
                "compare the column as the type that it has"
            default:
                "write the condition with columns or in SQL, or filter the records in Swift"
            }
        return refusal("the expression \(name)", advice)
    }
}

extension PredicateTranslation {
    /// Two terms in comparable form: a captured decimal or date gets the stored form of the
    /// other term.
    ///
    /// - Throws: `StrongroomError` with `notTranslatable` for values with different stored forms.
    static func compared(
        _ left: PredicateTerm, _ sign: String, _ right: PredicateTerm
    ) throws -> (PredicateTerm, PredicateTerm) {
        if left.sql.form == right.sql.form { return (left, right) }
        if let form = left.sql.form, let constant = right.constant {
            return (left, PredicateTerm(constant: try form.compared(plain: constant, sign), form))
        }
        if let form = right.sql.form, let constant = left.constant {
            let mirrored = String(sign.map { $0 == "<" ? ">" : $0 == ">" ? "<" : $0 })
            return (PredicateTerm(constant: try form.compared(plain: constant, mirrored), form), right)
        }
        throw SQL.twoForms(left.sql.form, right.sql.form)
    }

    /// Two terms of which the engine returns either: a captured decimal or date is stored in the form of
    /// the other term.
    ///
    /// - Throws: As ``compared(_:_:_:)``; `StrongroomError` with `valueNotStorable` for a value that the scale cannot
    ///   represent.
    static func stored(_ left: PredicateTerm, _ right: PredicateTerm) throws -> (PredicateTerm, PredicateTerm) {
        if left.sql.form == right.sql.form { return (left, right) }
        if let form = left.sql.form, let constant = right.constant {
            return (left, PredicateTerm(constant: try form.stored(plain: constant), form))
        }
        if let form = right.sql.form, let constant = left.constant {
            return (PredicateTerm(constant: try form.stored(plain: constant), form), right)
        }
        throw SQL.twoForms(left.sql.form, right.sql.form)
    }
}

extension PredicateTerm {
    /// A captured value in a stored form.
    fileprivate init(constant: SQLValue, _ form: StoredForm) {
        var sql = SQL(reserving: 1)
        sql.append(value: constant)
        self.init(sql.inForm(form))
        self.constant = constant
    }
}

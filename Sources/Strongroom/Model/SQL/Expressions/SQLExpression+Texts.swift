extension SQLExpression where Value: TextColumnValue {
    /// Whether a regular expression matches a part of the text; with `^` and `$`, the whole text.
    ///
    /// ```swift
    /// Contact.where { $0.email.matches("^[a-z.]+@example\\.(com|org)$") }
    /// ```
    ///
    /// In SQL this is `email REGEXP pattern`, which every connection of the library has; other programs do not. The
    /// whole table is read, since no index helps. NULL matches nothing.
    ///
    /// - Parameters:
    ///   - pattern: A regular expression as for Foundation's `NSRegularExpression`. The query throws `invalidPredicate`
    ///     if it is none.
    ///   - ignoringCase: Whether upper and lower case are the same, in every script.
    public func matches(_ pattern: String, ignoringCase: Bool = false) -> Condition {
        let pattern = ignoringCase ? "(?i)" + pattern : pattern
        var condition = SQL(reserving: sql.text.utf8.count + 16)
        condition.append(sql)
        condition.append(text: " REGEXP ")
        condition.append(value: pattern)
        do {
            _ = try RegularExpression.compiled(pattern)
        } catch {
            if let error = error as? StrongroomError { condition.fail(error) }
        }
        return Condition(condition)
    }

    /// The text with a collating sequence, for an order or a comparison.
    ///
    /// ```swift
    /// Person.order { $0.name.collated(.locale("sv")).ascending }
    /// ```
    ///
    /// - Parameter collation: One of the engine's, of a locale, or of the configuration; statements with another one
    ///   throw `missingCollation`.
    public func collated(_ collation: Collation) -> Computed<Value> {
        Computed("\(sql)\(SQL(verbatim: collation.sql))")
    }
}

extension PredicateTranslation {
    /// Two terms in comparable form: a captured decimal gets the scale of the other term.
    ///
    /// - Throws: ``StrongroomError`` with `notTranslatable` for decimals with different storage forms.
    static func compared(
        _ left: PredicateTerm, _ sign: String, _ right: PredicateTerm
    ) throws -> (PredicateTerm, PredicateTerm) {
        if left.sql.scale == right.sql.scale { return (left, right) }
        if let scale = left.sql.scale, let constant = right.constant {
            return (left, PredicateTerm(constant: scaled(constant) { scale.compared(sorted: $0, sign) }, scale))
        }
        if let scale = right.sql.scale, let constant = left.constant {
            let mirrored = String(sign.map { $0 == "<" ? ">" : $0 == ">" ? "<" : $0 })
            return (PredicateTerm(constant: scaled(constant) { scale.compared(sorted: $0, mirrored) }, scale), right)
        }
        throw SQL.twoScales(left.sql.scale, right.sql.scale)
    }

    /// Two terms of which the engine returns either: a captured decimal is stored at the scale of the other term.
    ///
    /// - Throws: As ``compared(_:_:_:)``; ``StrongroomError`` with `valueNotStorable` for a value that the scale cannot
    ///   represent.
    static func stored(_ left: PredicateTerm, _ right: PredicateTerm) throws -> (PredicateTerm, PredicateTerm) {
        if left.sql.scale == right.sql.scale { return (left, right) }
        if let scale = left.sql.scale, let constant = right.constant {
            return (left, PredicateTerm(constant: try stored(constant, scale), scale))
        }
        if let scale = right.sql.scale, let constant = left.constant {
            return (PredicateTerm(constant: try stored(constant, scale), scale), right)
        }
        throw SQL.twoScales(left.sql.scale, right.sql.scale)
    }

    private static func scaled(_ constant: Value, _ form: (String) -> Value?) -> Value {
        constant.asText.flatMap(form) ?? constant
    }

    private static func stored(_ constant: Value, _ scale: DecimalScale) throws -> Value {
        guard let plain = constant.asText.flatMap({ SortedDecimal.plain($0) }) else { return constant }
        return try scale.stored(digits: plain).map { .integer($0) } ?? constant
    }
}

extension PredicateTerm {
    /// A captured value at a scale.
    fileprivate init(constant: Value, _ scale: DecimalScale) {
        var sql = SQL(reserving: 1)
        sql.append(value: constant)
        self.init(sql.scaled(scale))
        self.constant = constant
    }
}

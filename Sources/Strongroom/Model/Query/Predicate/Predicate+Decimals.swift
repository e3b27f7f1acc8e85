extension PredicateTranslation {
    /// Two terms in comparable form: a captured decimal or date gets the stored form of the
    /// other term.
    ///
    /// - Throws: ``StrongroomError`` with `notTranslatable` for values with different stored forms.
    static func compared(
        _ left: PredicateTerm, _ sign: String, _ right: PredicateTerm
    ) throws -> (PredicateTerm, PredicateTerm) {
        if left.sql.scale == right.sql.scale { return (left, right) }
        if let scale = left.sql.scale, let constant = right.constant {
            return (left, PredicateTerm(constant: try scale.compared(plain: constant, sign), scale))
        }
        if let scale = right.sql.scale, let constant = left.constant {
            let mirrored = String(sign.map { $0 == "<" ? ">" : $0 == ">" ? "<" : $0 })
            return (PredicateTerm(constant: try scale.compared(plain: constant, mirrored), scale), right)
        }
        throw SQL.twoScales(left.sql.scale, right.sql.scale)
    }

    /// Two terms of which the engine returns either: a captured decimal or date is stored in the form of
    /// the other term.
    ///
    /// - Throws: As ``compared(_:_:_:)``; ``StrongroomError`` with `valueNotStorable` for a value that the scale cannot
    ///   represent.
    static func stored(_ left: PredicateTerm, _ right: PredicateTerm) throws -> (PredicateTerm, PredicateTerm) {
        if left.sql.scale == right.sql.scale { return (left, right) }
        if let scale = left.sql.scale, let constant = right.constant {
            return (left, PredicateTerm(constant: try scale.stored(plain: constant), scale))
        }
        if let scale = right.sql.scale, let constant = left.constant {
            return (PredicateTerm(constant: try scale.stored(plain: constant), scale), right)
        }
        throw SQL.twoScales(left.sql.scale, right.sql.scale)
    }
}

extension PredicateTerm {
    /// A captured value in a stored form.
    fileprivate init(constant: Value, _ scale: StoredForm) {
        var sql = SQL(reserving: 1)
        sql.append(value: constant)
        self.init(sql.scaled(scale))
        self.constant = constant
    }
}

extension PredicateTranslation {
    /// Two terms in comparable form: a captured decimal or date gets the stored form of the
    /// other term.
    ///
    /// - Throws: ``StrongroomError`` with `notTranslatable` for values with different stored forms.
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
    /// - Throws: As ``compared(_:_:_:)``; ``StrongroomError`` with `valueNotStorable` for a value that the scale cannot
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
    fileprivate init(constant: Value, _ form: StoredForm) {
        var sql = SQL(reserving: 1)
        sql.append(value: constant)
        self.init(sql.inForm(form))
        self.constant = constant
    }
}

extension ColumnDefinition {
    /// Whether a column of the file stores decimals in the form of earlier versions of the library.
    func isDecimals(of info: ColumnInfo) -> Bool {
        holdsDecimals && Identifier.areSame(info.declaredType, StorageClass.text.rawValue)
    }
}

extension Connection {
    /// Throws if the file stores a table's decimals or dates in another form than declared here: decimals in that of
    /// earlier versions, which does not compare as numbers, or at another scale; dates in another ``DateForm``. A type
    /// that names no form of dates, such as DATETIME in a file of another library, is accepted.
    ///
    /// - Throws: ``StrongroomError`` with `tableDiffers`.
    func requireStoredForms(of schema: TableSchema) throws {
        guard !schema.formed.isEmpty, !checkedTables.forms.contains(schema.formTypes) else { return }
        let isTable = try hasTable(schema.name)
        let infos = try columnInfos(of: schema.name)
        for column in schema.formed {
            guard let info = infos.first(where: { Identifier.areSame($0.name, column.name) }),
                !Identifier.areSame(info.declaredType, column.declaredType)
            else { continue }
            let remedy: String
            if column.holdsDates {
                guard let stored = DateForm(declaredType: info.declaredType) else { continue }
                remedy =
                    "Declare the form that the file has (`as: \(stored.name)`), or add a new column in a migration and "
                    + "fill it from the old one."
            } else {
                // The columns of a view come from other tables.
                guard isTable else { continue }
                remedy =
                    "Call `db.convertDecimals(of:)` in a migration, or use an automatic migrator; in CREATE TABLE, "
                    + "declare it as \(column.declaredType)."
            }
            throw StrongroomError(
                .tableDiffers,
                """
                Column "\(column.name)" of table "\(schema.name)" is declared as \(info.declaredType), not as \
                \(column.declaredType). \(remedy)
                """,
                database: database)
        }
        // Uncommitted changes may be rolled back; the engine reports a missing table.
        if !infos.isEmpty, !transaction.tables.changesSchema {
            checkedTables.forms.insert(schema.formTypes)
        }
    }
}

extension SortedDecimal {
    /// The SQL for the digits of a column's values.
    package static func digits(of column: String) -> SQL {
        """
        CASE WHEN substr(\(name: column), 1, 1) = 'p' THEN substr(\(name: column), 6) WHEN substr(\(name: column), 1, \
        2) = '-n' THEN substr(\(name: column), instr(\(name: column), '~') + 1) ELSE \(name: column) END
        """
    }
}

extension DecimalScale {
    /// The SQL for the digits of an expression that is an integer with the scale, without trailing zeros.
    func digits(of value: String) -> String {
        guard digits > 0 else { return "CAST(\(value) AS TEXT)" }
        let sign = "CASE WHEN \(value) < 0 THEN '-' ELSE '' END"
        let fraction = "substr('\(zeros)' || abs(\(value) % \(factor)), -\(digits))"
        let text = "\(sign) || abs(\(value) / \(factor)) || '.' || \(fraction)"
        return "CASE typeof(\(value)) WHEN 'integer' THEN rtrim(rtrim(\(text), '0'), '.') ELSE \(value) END"
    }

    /// The SQL for the scaled integer of an expression that is a number or its digits, which must fit.
    func scaled(_ value: String) -> String {
        let point = "instr(\(value), '.')"
        let fraction = "substr(substr(\(value), \(point) + 1) || '\(zeros)', 1, \(digits))"
        return """
            CASE \(point) WHEN 0 THEN CAST(\(value) || '\(zeros)' AS INTEGER) ELSE CAST(substr(\(value), 1, \(point) - \
            1) || \(fraction) AS INTEGER) END
            """
    }

    private var zeros: String { String(repeating: "0", count: digits) }
}

extension ColumnInfo {
    /// The SQL for the digits of the column's decimals; nil for a column without decimals.
    var decimalDigits: String? {
        if Identifier.areSame(declaredType, SortedDecimal.declaredType) { return SortedDecimal.digits(of: name).text }
        return DecimalScale(declaredType: declaredType)?.digits(of: Identifier.quote(name))
    }
}

/// The tables that have been found, since statements were prepared, to be in the file as they are declared.
final class CheckedTables {
    /// Tables whose decimals and dates are stored in the declared forms.
    fileprivate(set) var forms: Set<String> = []
    /// Tables whose keys the engine generates; see ``Connection/requireGeneratedKeys(of:)``.
    var generatedKeys: Set<String> = []
    /// Tables whose declared keys are unique in the file; see ``Connection/requireUniqueKey(of:)``.
    var uniqueKeys: Set<String> = []
}

extension Connection {
    var checkedTables: CheckedTables { statements.attachments.object(CheckedTables()) }
}

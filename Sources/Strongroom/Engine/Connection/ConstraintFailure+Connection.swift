import CSQLCipher

extension ConstraintFailure {
    /// Parses the engine's report of a failure.
    ///
    /// - Parameters:
    ///   - code: The engine's code.
    ///   - words: The engine's message.
    ///   - connection: The connection on which a foreign key is looked up.
    ///   - whileCommitting: Whether the violating rows can still be found.
    init?(_ code: ResultCode, _ words: String, on connection: Connection, whileCommitting: Bool) {
        guard code.primary == SQLITE_CONSTRAINT else { return nil }
        // The header gives the extended codes as expressions that Swift does not import.
        let kind: Kind =
            switch code.extended >> 8 {
            case 1: .check
            case 3: .foreignKey
            case 5: .notNull
            case 6, 10: .primaryKey
            // The engine reports RESTRICT in this form.
            case 7 where words == "FOREIGN KEY constraint failed": .foreignKey
            case 7: .trigger
            case 8: .unique
            case 12: .dataType
            default: .other
            }
        let detail = words.firstRange(of: " constraint failed: ").map { String(words[$0.upperBound...]) }
        switch kind {
        case .foreignKey:
            let found = whileCommitting ? Self.danglingReference(on: connection) : nil
            self.init(kind: kind, table: found?.table, parentTable: found?.parent)
        case .check:
            self.init(kind: kind, table: nil, name: detail)
        case .dataType:
            let subject = words.firstRange(of: " column ").map { String(words[$0.upperBound...]) } ?? ""
            self.init(kind, subject: subject, on: connection)
        case .unique, .primaryKey, .notNull:
            self.init(kind, subject: detail ?? "", on: connection)
        default:
            self.init(kind: kind, table: nil)
        }
    }

    /// - Parameter subject: `table.column, table.column`, or `index 'name'`.
    private init(_ kind: Kind, subject: String, on connection: Connection) {
        if subject.hasPrefix("index '"), subject.hasSuffix("'") {
            let name = String(subject.dropFirst(7).dropLast())
            self.init(kind: kind, table: Self.table(ofIndex: name, on: connection), name: name)
            return
        }
        guard let dot = subject.firstIndex(of: ".") else {
            self.init(kind: kind, table: nil)
            return
        }
        let table = String(subject[..<dot])
        let columns = String(subject[subject.index(after: dot)...]).split(separator: ", \(table).").map(String.init)
        self.init(kind: kind, table: table, columns: columns)
    }

    /// The table of an index on expressions, which the engine does not report.
    private static func table(ofIndex index: String, on connection: Connection) -> String? {
        // The original failure is the error to report.
        let table = try? connection.ownValue(
            "SELECT tbl_name FROM sqlite_master WHERE type = 'index' AND name = ?", .text(index))
        return table?.asText
    }

    /// The first row without a parent, while the transaction to be committed is still open.
    private static func danglingReference(on connection: Connection) -> (table: String, parent: String)? {
        var found: (String, String)?
        do {
            try connection.withOwnStatement("PRAGMA foreign_key_check") { statement in
                guard try statement.step() else { return }
                let row = Row(statement)
                found = (try row.text(at: 0), try row.text(at: 2))
            }
        } catch {
            // The commit's failure is the error to report.
            return nil
        }
        return found
    }
}

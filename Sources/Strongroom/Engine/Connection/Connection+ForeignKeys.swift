import CSQLCipher

extension Connection {
    /// Runs work without enforcement of foreign keys, also inside a transaction, where the pragma would be ignored.
    ///
    /// Only for migrations and the rebuild of a table: dropping a table deletes its rows, and with them, by ON DELETE
    /// CASCADE, rows of other tables. See "Configuring a Database Connection" (sqlite.org/c3ref/db_config.html).
    func withoutForeignKeys<T>(_ body: () throws -> T) throws -> T { try enforcingForeignKeys(false, body) }

    /// Runs work with enforcement of foreign keys, also inside a transaction without it, as that of a migration.
    func withForeignKeys<T>(_ body: () throws -> T) throws -> T { try enforcingForeignKeys(true, body) }

    private func enforcingForeignKeys<T>(_ isEnforced: Bool, _ body: () throws -> T) throws -> T {
        guard try ownValue("PRAGMA foreign_keys") == .integer(isEnforced ? 0 : 1) else { return try body() }
        guard strongroom_enforce_foreign_keys(pointer, isEnforced ? 1 : 0) == SQLITE_OK else {
            throw failure("The enforcement of foreign keys could not be changed")
        }
        let result = Result { try body() }
        guard strongroom_enforce_foreign_keys(pointer, isEnforced ? 0 : 1) == SQLITE_OK else {
            // They may be enforced now or not: the transaction must not write any more.
            transaction.state = .rolledBack
            throw failure("The enforcement of foreign keys could not be changed back")
        }
        return try result.get()
    }

    /// Whether a table of the file has foreign keys.
    ///
    /// A statement that writes several of its rows keeps the original of every page that it changes until the outermost
    /// savepoint ends, because a missing parent is detected at the end of the statement. A statement that inserts a
    /// single row is refused at once and keeps none. See "Temporary Files Used By SQLite", section 2.5
    /// (sqlite.org/tempfiles.html).
    @usableFromInline
    func hasForeignKeys(_ table: String) throws -> Bool {
        try ownValue("PRAGMA foreign_key_list(\(Identifier.quote(table)))") != nil
    }

    /// Whether the transaction cannot be committed yet because of violations of deferred foreign keys.
    ///
    /// See `SQLITE_DBSTATUS_DEFERRED_FKS` (sqlite.org/c3ref/c_dbstatus_options.html).
    var hasDeferredViolations: Bool {
        var (count, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(pointer, SQLITE_DBSTATUS_DEFERRED_FKS, &count, &highest, 0)
        return count != 0
    }

    /// Whether the transaction defers the check of all foreign keys to its end; true if unknown.
    var defersForeignKeys: Bool {
        guard authorizer.hasSeenDeferral else { return false }
        let setting = try? ownValue("PRAGMA defer_foreign_keys")
        return setting != .integer(0)
    }

    /// Fails if rows violate a foreign key.
    ///
    /// - Throws: ``StrongroomError`` with `constraint`, naming table, row and parent of the first violations, and their
    ///   number.
    func checkForeignKeys() throws {
        var first: (table: String, parent: String)?
        var (named, count): ([String], Int) = ([], 0)
        try withOwnStatement("PRAGMA foreign_key_check") { statement in
            let row = Row(statement)
            while try statement.step() {
                count += 1
                guard count <= Self.maxNamed else { continue }
                let (table, parent) = (try row.text(at: 0), try row.text(at: 2))
                first = first ?? (table, parent)
                // A table without row ids has none to report.
                var number = ""
                if case .integer(let rowID) = try row.value(at: 1) { number = " \(rowID)" }
                named.append("row\(number) of table \"\(table)\" references a row of \"\(parent)\" that does not exist")
            }
        }
        guard let first else { return }
        let rest = count - named.count
        let text = named.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
        var error = StrongroomError(
            .constraint, "\(text.prefix(1).uppercased())\(text.dropFirst()).", database: database)
        error.constraint = ConstraintFailure(kind: .foreignKey, table: first.table, parentTable: first.parent)
        throw error
    }

    /// The most rows that a message names.
    private static let maxNamed = 10
}

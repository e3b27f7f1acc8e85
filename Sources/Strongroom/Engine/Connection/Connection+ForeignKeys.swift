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

    private static let maxNamed = 10
}

extension ConstraintFailure {
    /// Parses the engine's report of a failure.
    init?(_ code: ResultCode, _ message: String, on connection: Connection, whileCommitting: Bool) {
        guard code.primary == SQLITE_CONSTRAINT else { return nil }
        // The header gives the extended codes as expressions that Swift does not import.
        let kind: Kind =
            switch code.extended >> 8 {
            case 1: .check
            case 3: .foreignKey
            case 5: .notNull
            case 6, 10: .primaryKey
            // The engine reports RESTRICT in this form.
            case 7 where message == "FOREIGN KEY constraint failed": .foreignKey
            case 7: .trigger
            case 8: .unique
            case 12: .dataType
            default: .other
            }
        let detail = message.firstRange(of: " constraint failed: ").map { String(message[$0.upperBound...]) }
        switch kind {
        case .foreignKey:
            let found = whileCommitting ? Self.danglingReference(on: connection) : nil
            self.init(kind: kind, table: found?.table, parentTable: found?.parent)
        case .check:
            self.init(kind: kind, table: nil, name: detail)
        case .dataType:
            let subject = message.firstRange(of: " column ").map { String(message[$0.upperBound...]) } ?? ""
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

/// SQL of a sound file's schema that the linked engine cannot parse, such as `STRICT` before SQLite 3.37.
///
/// The engine reports it as a damaged file (`SQLITE_CORRUPT`), for each statement that needs the schema. What it
/// reports of entries that no engine writes, such as an invalid root page, is damage.
struct UnknownSchemaSQL {
    private let object: String
    private let reason: String

    private static let beginning = "malformed database schema ("
    /// How the messages of the parser begin or end, and those for a name that it does not find.
    private static let beginnings = ["no such column: ", "unrecognized token: ", "unknown table option: "]
    private static let ending = ": syntax error"

    init?(_ message: String) {
        guard message.hasPrefix(Self.beginning), let end = message.firstRange(of: ") - ") else { return nil }
        let reason = message[end.upperBound...]
        guard reason.hasSuffix(Self.ending) || Self.beginnings.contains(where: reason.hasPrefix) else { return nil }
        object = String(message[..<end.lowerBound].dropFirst(Self.beginning.count))
        self.reason = String(reason)
    }

    fileprivate func error(sql: String?, database: String) -> StrongroomError {
        let cipher = (try? EngineFeatures.current())?.cipherVersion ?? ""
        return StrongroomError(
            .newerSchema,
            """
            The definition of "\(object)" in the schema has syntax that the linked engine, SQLCipher \(cipher) (SQLite \
            \(String(cString: sqlite3_libversion()))), does not know: \(reason). Open the file with the newer \
            SQLCipher that wrote it, or drop "\(object)" there; with this one, `salvage` copies the other tables to a \
            new file.
            """,
            database: database, sql: sql, resultCode: ResultCode(extended: SQLITE_CORRUPT))
    }
}

extension Connection {
    /// The error for the connection's last failure, if the engine does not know the SQL of the schema. Zeros
    /// instead of a damaged page of the schema are damage.
    func schemaError(_ code: ResultCode, sql: String?) -> StrongroomError? {
        guard code.primary == SQLITE_CORRUPT, let message = sqlite3_errmsg(pointer).map({ String(cString: $0) }),
            let unknown = UnknownSchemaSQL(message), !hasFailedCodec
        else { return nil }
        return unknown.error(sql: sql, database: database)
    }

    /// Runs work that reads the schema: where the engine does not know a part of it, without that part, also
    /// afterwards. See "PRAGMA writable_schema" (sqlite.org/pragma.html).
    func readingKnownSchema<T>(_ work: () throws -> T) throws -> T {
        do {
            return try work()
        } catch let error as StrongroomError where error.code == .newerSchema {
            try run("PRAGMA writable_schema = ON")
            return try work()
        }
    }
}

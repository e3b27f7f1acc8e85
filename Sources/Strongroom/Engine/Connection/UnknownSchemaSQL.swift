import CSQLCipher

/// SQL of a sound file's schema that the linked engine cannot parse, such as `STRICT` before SQLite 3.37.
///
/// The engine reports it as a damaged file (`SQLITE_CORRUPT`), for each statement that needs the schema. What it
/// reports of entries that no engine writes, such as an invalid root page, is damage.
struct UnknownSchemaSQL {
    /// The name of the table, index, view or trigger.
    private let object: String
    private let reason: String

    private static let beginning = "malformed database schema ("
    /// How the messages of the parser begin or end, and those for a name that it does not find.
    private static let beginnings = ["no such column: ", "unrecognized token: ", "unknown table option: "]
    private static let ending = ": syntax error"

    /// - Parameter message: The engine's error message; nil results for another error.
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
    /// The error for the connection's last failure, if the engine does not know the SQL of the schema. Zeros in place
    /// of a damaged page of the schema are damage.
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

import CSQLCipher

/// Rejects user SQL that would change what the library manages: transactions, attached files, keys and settings; and
/// temporary tables.
///
/// The engine calls the authorizer while it prepares a statement, also when it prepares one again at the first step
/// after a schema change ("Compile-Time Authorization Callbacks", sqlite.org/c3ref/set_authorizer.html).
final class Authorizer {  // guarded by the slot, as the connection is
    /// True while the library prepares one of its own statements.
    @exclusivity(unchecked) var isTrusting = false

    /// Whether anything was rejected since this was last reset. The engine's error code does not always show it.
    var hasRefused = false

    /// The tables of the statement that is being prepared.
    @exclusivity(unchecked) private var tables = TableUse()

    /// Whether tables were recorded that have not been removed yet: those of a statement that the engine prepared again
    /// while it ran.
    @exclusivity(unchecked) private(set) var hasTables = false

    /// Returns and clears the tables recorded since the last call.
    func removeTables() -> TableUse {
        defer { (hasTables, tables, isCompletingEntry) = (false, TableUse(), false) }
        return tables
    }

    private static let schemas: Set = ["sqlite_master", "sqlite_temp_master"]

    /// Whether the engine completes the entry of a new table in the schema.
    private var isCompletingEntry = false

    /// Whether a statement was prepared that defers the foreign keys of its transaction.
    private(set) var hasSeenDeferral = false

    /// Pragmas that may have an argument: they only read, or their setting is stored in the file or ends with the
    /// transaction.
    private static let openPragmas: Set<String> = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
        "foreign_key_check", "integrity_check", "quick_check", "user_version", "application_id", "defer_foreign_keys",
        "incremental_vacuum", "optimize",
    ]

    func install(on connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_set_authorizer(
            connection,
            { context, action, first, second, schema, _ in
                guard let context else { return SQLITE_DENY }
                let authorizer = Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue()
                let answer = authorizer.answer(action, first, second, schema)
                if answer == SQLITE_DENY { authorizer.hasRefused = true }
                return answer
            },
            context
        )
    }

    /// Records the tables of a statement. The engine also calls the authorizer for triggers and foreign key actions.
    private func record(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) {
        let name = action == SQLITE_ALTER_TABLE ? second : first
        // Also without a name: any other action ends the entry.
        guard !isOfEntry(action, name, second), let name else { return }
        switch action {
        case SQLITE_READ: tables.reads.insert(TableUse.name(name))
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_ALTER_TABLE, SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE:
            tables.writes.insert(TableUse.name(name))
        case SQLITE_CREATE_INDEX: tables.makesIndex = true
        default: return
        }
        hasTables = true
    }

    /// Whether the engine completes the entry of a new table in the schema, which it has reported as inserted before.
    ///
    /// SQLite 3.15 also reports that for the table that a virtual table declares when a connection first uses it, such
    /// as ``ListTable`` or a full-text index: then nothing was inserted, and the schema does not change.
    private func isOfEntry(_ action: Int32, _ name: UnsafePointer<CChar>?, _ column: UnsafePointer<CChar>?) -> Bool {
        guard action == SQLITE_UPDATE || action == SQLITE_READ && isCompletingEntry, let name, let column,
            Self.schemas.contains(String(cString: name))
        else {
            isCompletingEntry = false
            return false
        }
        if action == SQLITE_READ {
            // The end of the statement; a read of another column is another statement's.
            isCompletingEntry = false
            return String(cString: column) == "ROWID"
        }
        // The first of its columns, which no other statement sets.
        if String(cString: column) == "type" { isCompletingEntry = true }
        return isCompletingEntry
    }

    private func answer(
        _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
        _ schema: UnsafePointer<CChar>?
    ) -> Int32 {
        record(action, first, second)
        if isTrusting { return SQLITE_OK }
        switch action {
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH:
            return SQLITE_DENY
        // The engine resolves a name to the temporary table: it would hide one of the file, also one that is created
        // later, so that no reader sees what is written, and be dropped when the connection is closed.
        case SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_VIEW:
            return SQLITE_DENY
        // Engine 3 reports `CREATE TABLE temp.t` so.
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_VIEW, SQLITE_CREATE_VTABLE:
            return schema.map { String(cString: $0) } == "temp" ? SQLITE_DENY : SQLITE_OK
        case SQLITE_PRAGMA:
            guard let first else { return SQLITE_DENY }
            let name = String(cString: first).lowercased()
            if name.contains("cipher") || name.contains("kdf") || name.hasSuffix("key") { return SQLITE_DENY }
            if name == "wal_checkpoint" { return SQLITE_DENY }
            if name == "defer_foreign_keys", second != nil { hasSeenDeferral = true }
            return second == nil || Self.openPragmas.contains(name) ? SQLITE_OK : SQLITE_DENY
        case SQLITE_FUNCTION:
            guard let second else { return SQLITE_DENY }
            let name = String(cString: second).lowercased()
            return name == "sqlcipher_export" || name == "load_extension" ? SQLITE_DENY : SQLITE_OK
        default:
            return SQLITE_OK
        }
    }
}

/// The tables that a statement or a transaction reads and writes, by the engine's names in lower case.
struct TableUse: Equatable {
    var reads: Set<String> = []
    var writes: Set<String> = []
    var makesIndex = false

    var changesSchema: Bool { writes.contains("sqlite_master") }

    mutating func formUnion(_ other: TableUse) {
        reads.formUnion(other.reads)
        writes.formUnion(other.writes)
        makesIndex = makesIndex || other.makesIndex
    }

    /// A table's name in the form used for comparison.
    static func name(_ name: String) -> String { name.asciiFolded }

    static func name(_ name: UnsafePointer<CChar>) -> String { self.name(String(cString: name)) }
}

import CSQLCipher

/// Refuses user SQL that would take from the library what is its own: transactions, attached files, keys, settings.
///
/// The engine asks while it prepares a statement, also when it prepares one again at its first step, since the schema
/// has changed ("Compile-Time Authorization Callbacks", sqlite.org/c3ref/set_authorizer.html).
final class Authorizer {  // guarded by the slot, as the connection is
    /// True while the library prepares a statement of its own.
    @exclusivity(unchecked) var isTrusting = false

    /// Whether anything was refused since this was last set to false. The engine's own code does not always tell.
    var hasRefused = false

    /// The tables of the statement that the engine prepares.
    @exclusivity(unchecked) private var tables = TableUse()

    /// Whether the engine has told of tables that nobody has taken yet: those of a statement that it has prepared again
    /// while it ran.
    @exclusivity(unchecked) private(set) var hasTables = false

    /// The tables that the engine has told of since this was last called.
    func takeTables() -> TableUse {
        defer { (hasTables, tables) = (false, TableUse()) }
        return tables
    }

    /// A table or view that a statement makes, or to which it gives a name.
    struct Made {
        /// Nil where the engine tells the former name alone.
        var name: String?
        /// The name that it had before; nil for what is new.
        var formerName: String?
        /// Whether it is the connection's alone.
        let isTemporary: Bool
        /// Whether it is a virtual table, which has tables of its own behind it, named with its name and `_`.
        var isVirtual = false
    }

    private var made: [Made] = []

    /// The tables and views that the statements would make or rename which were prepared since this was last called.
    func takeMade() -> [Made] {
        defer { made = [] }
        return made
    }

    /// Whether a statement has been prepared that defers the foreign keys of its transaction.
    private(set) var hasMetDeferral = false

    /// What may have an argument: it only reads, or what it sets belongs to the file or ends with the transaction.
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
                authorizer.noteMaking(action, first, second, schema)
                let answer = authorizer.answer(action, first, second)
                if answer == SQLITE_DENY { authorizer.hasRefused = true }
                return answer
            },
            context
        )
    }

    /// The engine also asks for what a trigger or a foreign key does.
    private func note(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) {
        guard let name = action == SQLITE_ALTER_TABLE ? second : first else { return }
        switch action {
        case SQLITE_READ: tables.reads.insert(TableUse.name(name))
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_ALTER_TABLE, SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE:
            tables.writes.insert(TableUse.name(name))
        case SQLITE_CREATE_INDEX: tables.makesIndex = true
        default: return
        }
        hasTables = true
    }

    /// Notes what the user makes; what the library makes for itself has names of its own.
    private func noteMaking(
        _ action: Int32, _ name: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
        _ schema: UnsafePointer<CChar>?
    ) {
        guard !isTrusting, let name else { return }
        switch action {
        case SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_VIEW:
            made.append(Made(name: String(cString: name), isTemporary: true))
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_VIEW, SQLITE_CREATE_VTABLE:
            made.append(
                Made(
                    name: String(cString: name), isTemporary: schema.map(Self.isTemporary) ?? false,
                    isVirtual: action == SQLITE_CREATE_VTABLE))
        case SQLITE_ALTER_TABLE:
            made.append(Made(formerName: second.map { String(cString: $0) }, isTemporary: Self.isTemporary(name)))
        default: return
        }
    }

    private static func isTemporary(_ schema: UnsafePointer<CChar>) -> Bool {
        String(cString: schema).isSameName(as: "temp")
    }

    private func answer(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> Int32 {
        note(action, first, second)
        if isTrusting { return SQLITE_OK }
        switch action {
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH:
            return SQLITE_DENY
        case SQLITE_PRAGMA:
            guard let first else { return SQLITE_DENY }
            let name = String(cString: first).lowercased()
            if name.contains("cipher") || name.contains("kdf") || name.hasSuffix("key") { return SQLITE_DENY }
            if name == "wal_checkpoint" { return SQLITE_DENY }
            if name == "defer_foreign_keys", second != nil { hasMetDeferral = true }
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

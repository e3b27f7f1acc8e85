import CSQLCipher

/// Refuses user SQL that would take from the library what is its own: transactions, attached files, keys, settings.
///
/// The engine asks while it prepares a statement, never while one runs («Compile-Time Authorization Callbacks»,
/// sqlite.org/c3ref/set_authorizer.html).
final class Authorizer {
    /// True while the library prepares a statement of its own.
    var isTrusting = false

    /// Settings that a connection's owner keeps; reading them is free.
    private static let ownSettings: Set<String> = [
        "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", "journal_mode", "synchronous", "locking_mode",
        "query_only", "secure_delete", "temp_store", "foreign_keys", "writable_schema", "trusted_schema",
        "wal_checkpoint", "wal_autocheckpoint", "page_size", "auto_vacuum", "encoding", "mmap_size",
    ]

    func install(on connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_set_authorizer(
            connection,
            { context, action, first, second, _, _ in
                guard let context else { return SQLITE_DENY }
                let authorizer = Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue()
                return authorizer.answer(action, first, second)
            },
            context
        )
    }

    private func answer(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> Int32 {
        if isTrusting { return SQLITE_OK }
        switch action {
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH:
            return SQLITE_DENY
        case SQLITE_PRAGMA:
            guard let first else { return SQLITE_DENY }
            let name = String(cString: first).lowercased()
            if name.hasPrefix("cipher") || name.hasSuffix("key") { return SQLITE_DENY }
            return second != nil && Self.ownSettings.contains(name) ? SQLITE_DENY : SQLITE_OK
        case SQLITE_FUNCTION:
            guard let second else { return SQLITE_DENY }
            let name = String(cString: second).lowercased()
            return name == "sqlcipher_export" || name == "load_extension" ? SQLITE_DENY : SQLITE_OK
        default:
            return SQLITE_OK
        }
    }
}

import CSQLCipher

extension Connection {
    /// Runs work without the enforcement of foreign keys, also inside a transaction, where the pragma would be ignored.
    ///
    /// For the rebuild of a table alone: dropping a table deletes its rows, and with them, by ON DELETE CASCADE, those of others.
    /// See «Configuring a Database Connection» (sqlite.org/c3ref/db_config.html).
    func withoutForeignKeys<T>(_ body: () throws -> T) throws -> T {
        guard try ownValue("PRAGMA foreign_keys") == .integer(1) else { return try body() }
        guard strongroom_enforce_foreign_keys(pointer, 0) == SQLITE_OK else {
            throw failure("The foreign keys could not be left aside")
        }
        let result = Result { try body() }
        guard strongroom_enforce_foreign_keys(pointer, 1) == SQLITE_OK else {
            // Nothing may be written any more without them.
            transactionState = .doomed
            throw failure("The foreign keys could not be enforced again")
        }
        return try result.get()
    }
}

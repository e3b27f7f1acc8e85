extension Writing where Self: ~Copyable {
    /// The number of this transaction in histories; nil if it has not changed a table with a history yet.
    public var transactionNumber: Int64? {
        get throws { try _handle.connection.transactionNumber() }
    }

    /// Puts back the rows that a transaction has changed, in all tables with a history, as they were before it.
    ///
    /// ```swift
    /// let change = try Patient.history(of: key, in: db).last
    /// if let number = change?.transaction { try db.undo(transaction: number) }
    /// ```
    ///
    /// The undoing is itself a change in the histories, which can be undone. Rows that have changed since are not
    /// overwritten: then nothing is undone. Omitted columns keep their present value; in a row that is inserted again
    /// they have their default or are NULL. Rows that were erased stay erased.
    ///
    /// What no history has is not put back. If a row that was deleted would come back without it, the undoing is an
    /// error, unless you allow it: that applies to the omitted columns of such a row, and to a table without a history
    /// whose rows a foreign key to such a row deletes or changes, whether or not there were any.
    ///
    /// - Parameters:
    ///   - transaction: The number of the transaction; see ``RecordChange/transaction``.
    ///   - allowsLosses: Whether deleted rows are put back without what no history has.
    /// - Returns: The rows that were inserted, updated or deleted, by table, and what was not put back.
    /// - Throws: ``StrongroomError`` with `notUndoable` if rows have changed since, naming the tables and the
    ///   numbers of the later changes, if a foreign key would delete or change later rows, or if deleted rows would
    ///   come back without what no history has, if no history has a change of the transaction, some were
    ///   pruned, or the history was stopped or its table changed since; `tableDiffers` if a history does not fit its
    ///   table; `constraint` if the former rows violate one.
    @discardableResult
    public func undo(transaction: Int64, allowingLosses allowsLosses: Bool = false) throws -> UndoReport {
        try savepoint { db in
            let undoing = try TransactionUndoing(transaction, on: db._handle.connection)
            return try undoing.run(allowingLosses: allowsLosses)
        }
    }
}

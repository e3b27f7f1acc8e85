/// What takes part in a connection's transactions beside the database.
///
/// For whoever has the connection's slot.
protocol TransactionParticipant: AnyObject {
    /// Begins a transaction that reads.
    ///
    /// - Parameter begin: Takes the snapshot of the database.
    func beginSnapshot(on connection: Connection, _ begin: () throws -> Void) throws

    /// Called when a transaction has begun that may write.
    func didBegin(on connection: Connection) throws

    /// Ends a transaction.
    ///
    /// - Parameter commit: Commits what there is in the database.
    func commit(on connection: Connection, _ commit: () throws -> Void) throws

    /// Called when the transaction, or a part of it, has been undone.
    func noteUndoing(on connection: Connection)
}

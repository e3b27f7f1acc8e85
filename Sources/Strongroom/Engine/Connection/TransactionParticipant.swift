/// A participant in a connection's transactions besides the database.
///
/// Only for the holder of the connection's slot.
protocol TransactionParticipant: AnyObject {
    /// Begins a read transaction.
    ///
    /// - Parameter begin: Takes the snapshot of the database.
    func beginSnapshot(on connection: Connection, _ begin: () throws -> Void) throws

    /// Called after the beginning of a transaction that may write.
    func didBegin(on connection: Connection) throws

    /// Commits a transaction.
    ///
    /// - Parameter commit: Commits the database's part.
    func commit(on connection: Connection, _ commit: () throws -> Void) throws

    /// Called when the transaction, or a part of it, has been rolled back.
    func didRollBack(on connection: Connection)
}

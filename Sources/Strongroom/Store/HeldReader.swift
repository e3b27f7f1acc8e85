/// A reader that is taken for longer than one piece of work, with a snapshot; given back when nobody refers to it any more.
final class HeldReader: @unchecked Sendable {  // its statement is used on the reader's seat alone
    let seat: Access.Queue.Seat
    let ticket: UInt64
    private let access: Access
    /// What the snapshot is read with.
    private var statement: Statement?

    init(_ access: Access, _ seat: Access.Queue.Seat, _ ticket: UInt64) {
        self.access = access
        self.seat = seat
        self.ticket = ticket
    }

    deinit {
        let rest = Rest(statement)
        access.giveBack(seat, ticket) { connection in
            rest.statement?.finish()
            connection.rollBack()
        }
    }

    /// Runs a part of the work with the statement, which is made at the first part.
    func perform<T: Sendable>(
        making make: @escaping @Sendable (Connection) throws -> Statement,
        _ work: @escaping @Sendable (Statement, Connection) throws -> T
    ) async throws -> T {
        try await access.perform(on: self) { [self] connection in
            if statement == nil {
                try connection.beginSnapshot()
                statement = try make(connection)
            }
            guard let statement else { throw CancellationError() }
            return try work(statement, connection)
        }
    }

    /// Ends the snapshot; throws when something that was read was damaged.
    func finish() async throws {
        try await access.perform(on: self) { [self] connection in
            statement?.finish()
            statement = nil
            try connection.commit()
        }
    }

    /// Brings the statement to the seat's thread.
    private struct Rest: @unchecked Sendable {
        let statement: Statement?

        init(_ statement: Statement?) {
            self.statement = statement
        }
    }
}

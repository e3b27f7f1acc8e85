/// The records of a query, read one at a time.
///
/// See ``Query/withCursor(in:_:)``.
public struct RecordCursor<Source: Table>: ~Copyable {
    private let query: Query<Source>
    @usableFromInline let statement: Statement
    @usableFromInline let connection: Connection
    @usableFromInline var number = 0
    @usableFromInline var isAtEnd = false

    @usableFromInline
    init(_ query: Query<Source>, _ statement: Statement, on connection: Connection) {
        self.query = query
        self.statement = statement
        self.connection = connection
    }

    /// Reads the next record.
    ///
    /// - Returns: The record, or nil at the end.
    /// - Throws: ``StrongroomError`` with `typeMismatch` naming table, column and row, or the engine's failure.
    @inlinable
    public mutating func next() throws -> Source.RecordType? {
        // A statement that is stepped again after its end starts over.
        guard !isAtEnd, try statement.step() else {
            isAtEnd = true
            return nil
        }
        do {
            let record = try Source.RecordType(row: Row(statement))
            number += 1
            return record
        } catch {
            throw located(error)
        }
    }

    @usableFromInline
    func located(_ error: any Error) -> any Error {
        query.located(error, at: number, on: connection)
    }
}

/// The records of a query, read one at a time.
///
/// See ``Query/withCursor(in:_:)``.
public struct RecordCursor<Source: Table>: ~Copyable {
    private let query: Query<Source>
    @usableFromInline let statement: Statement
    @usableFromInline let connection: Connection
    /// Nil on a connection that cannot write.
    @usableFromInline let rows: OpenRows?
    @usableFromInline var number = 0
    @usableFromInline var isAtEnd = false

    @usableFromInline
    init(_ query: Query<Source>, _ statement: Statement, _ rows: OpenRows?, on connection: Connection) {
        self.query = query
        self.rows = rows
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
        guard !isAtEnd, try rows?.next() ?? statement.step() else {
            isAtEnd = true
            return nil
        }
        do {
            let record = try readRecord()
            number += 1
            return record
        } catch {
            throw located(error)
        }
    }

    @inlinable
    func readRecord() throws -> Source.RecordType {
        guard let rows, rows.isCopied else { return try Source.RecordType(row: Row(statement)) }
        return try Source.RecordType(row: Row(rows))
    }

    @usableFromInline
    func located(_ error: any Error) -> any Error {
        // Once the loop has written to the table, the query may have other rows.
        query.located(error, at: rows?.isCopied == true ? nil : number, on: connection)
    }
}

/// Reads the records of a join's row in sequence.
@usableFromInline
struct JoinReader: ~Copyable {
    @usableFromInline let statement: Statement
    @usableFromInline var position = 0
    /// The index of the table whose record is read.
    @usableFromInline var part = -1

    @usableFromInline
    init(_ statement: Statement) {
        self.statement = statement
    }

    @inlinable
    mutating func beginRow() {
        position = 0
        part = -1
    }

    /// Reads the record of the next table.
    ///
    /// - Parameter count: The number of the record's columns.
    @inlinable
    mutating func next<R: Record>(_ type: R.Type, _ count: Int) throws -> R {
        let row = nextPart(count)
        return try R(row: row)
    }

    /// Reads the record of the next table; nil if all of its columns are NULL.
    ///
    /// - Parameter count: The number of the record's columns.
    @inlinable
    mutating func nextIfPresent<R: Record>(_ type: R.Type, _ count: Int) throws -> R? {
        let row = nextPart(count)
        for index in 0..<count where try !row.isNull(at: index) {
            return try R(row: row)
        }
        return nil
    }

    @inlinable
    mutating func nextPart(_ count: Int) -> Row {
        defer { position += count }
        part += 1
        return Row(statement, from: position, count: count)
    }
}

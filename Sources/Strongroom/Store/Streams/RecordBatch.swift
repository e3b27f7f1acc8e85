/// Some consecutive records of a query.
@usableFromInline
final class RecordBatch<Element: Sendable>: @unchecked Sendable {  // used by one part of the work at a time
    /// The records, the last one first, so that each is removed from the end. The array is used again and again.
    @exclusivity(unchecked) @usableFromInline var records: [Element] = []
    /// Whether no further records follow.
    @exclusivity(unchecked) @usableFromInline var isLast = false
    /// The number of the query's records so far, with those of the batch once it is filled.
    @exclusivity(unchecked) @usableFromInline var count = 0

    @usableFromInline static var largest: Int { 256 }
    /// Large rows take time, and many of them take memory.
    @usableFromInline static var longest: Duration { .milliseconds(2) }

    init() {}

    /// Steps through a query's statement: to its end, or to ``largest`` records, or for ``longest``.
    ///
    /// - Parameters:
    ///   - isLimited: Whether the batch ends before the statement does.
    /// - Throws: ``StrongroomError`` with `typeMismatch`, which names the row, or the engine's failure.
    @inlinable
    func fill<Source: Table>(
        from query: Query<Source>, _ statement: Statement, _ connection: Connection, isLimited: Bool
    ) throws where Source.RecordType == Element {
        // In place: the array's own method copies each record and releases it again.
        defer {
            count += records.count
            records.withUnsafeMutableBufferPointer { $0.reverse() }
        }
        let row = Row(statement)
        let start = ContinuousClock.now
        // Reading the clock takes as long as a column: it is read after 1, 2, 4, 8, 16, 24 … records.
        var nextLook = 1
        do {
            while try statement.step() {
                records.append(try Element(row: row))
                guard isLimited, records.count == nextLook else { continue }
                if nextLook >= Self.largest || ContinuousClock.now - start >= Self.longest { return }
                nextLook += min(nextLook, 8)
            }
        } catch {
            throw query.located(error, at: count + records.count, on: connection)
        }
        isLast = true
    }
}

/// The parts of a stored value, one at a time, from one snapshot; only one of them is in memory at the same time.
///
/// ```swift
/// for try await part in store.table(Document.self).bytes(of: key, \.content) {
///     try await connection.send(part)
/// }
/// ```
///
/// A reader is acquired with the first part and released after the last one, when the loop ends early, and at the next
/// part after the task was cancelled. A slow loop holds it for long: meanwhile the WAL cannot be truncated, closing the
/// store waits, and reads in the loop's body need another reader. In a store in memory, the value is read at once. See
/// <doc:LargeValues>.
public struct BlobParts<Source: Table>: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    let store: Store
    let column: ColumnDefinition
    let key: Source.Key
    let partSize: Int
    let limits: OperationLimits

    public func makeAsyncIterator() -> Iterator {
        Iterator(parts: self)
    }

    /// Reads the parts of ``BlobParts``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let parts: BlobParts
        private var reader: HeldReader?
        private var offset = 0
        private var isAtEnd = false

        fileprivate init(parts: BlobParts) {
            self.parts = parts
        }

        /// The next part, or nil after the last one.
        ///
        /// - Throws: `CancellationError` if the task is cancelled; ``StrongroomError`` with `noSuchRow`, `typeMismatch`
        ///   if the value is NULL, `blobAccess`, `invalidArgument` for a part size below 1, `closed`, `timedOut`,
        ///   `damaged`, or the engine's failure. There are no further parts then.
        public mutating func next() async throws -> [UInt8]? {
            guard !isAtEnd else { return nil }
            do {
                guard parts.partSize > 0 else { throw BlobReader.wrongPartSize }
                return try await read()
            } catch {
                (isAtEnd, reader) = (true, nil)
                throw error
            }
        }

        private mutating func read() async throws -> [UInt8]? {
            let (column, key, offset, size) = (parts.column, parts.key, offset, parts.partSize)
            guard !parts.store.pool.hasOneConnection else { return try await readAll() }
            let reader = if let reader { reader } else { try await parts.store.pool.holdReader(parts.limits) }
            self.reader = reader
            let (part, isLast) = try await reader.perform(
                making: { try StoredBlob<Source>(column, key, on: $0).open() },
                { blob, _ in
                    let length = Swift.min(size, blob.count - offset)
                    return (try BlobReader(blob).read(length, at: offset), offset + length == blob.count)
                }
            )
            self.offset += part.count
            if isLast {
                isAtEnd = true
                try await reader.finish()
                self.reader = nil
            }
            return part.isEmpty ? nil : part
        }

        /// For a store in memory, whose single connection must not be held: a write in the loop would wait for it.
        private mutating func readAll() async throws -> [UInt8]? {
            let (column, key) = (parts.column, parts.key)
            isAtEnd = true
            let all = try await parts.store.pool.perform(.read, parts.limits) { connection in
                try connection.inSnapshot {
                    let blob = try StoredBlob<Source>(column, key, on: connection).open()
                    defer { blob.finish() }
                    return try BlobReader(blob).read(blob.count, at: 0)
                }
            }
            return all.isEmpty ? nil : all
        }
    }
}

extension StoreTable {
    /// The value of a row in parts.
    ///
    /// - Parameters:
    ///   - key: The primary key of the row.
    ///   - column: The column, of type `Data`, `[UInt8]`, or one of their optionals.
    ///   - partSize: The size of each part in bytes, at least 1; the last one may be smaller.
    ///   - label: The name of the read in error messages, including timeouts of operations that wait for its reader.
    ///   - timeout: How long the first part may wait for a reader; nil for no limit.
    /// - Returns: The parts; read when they are iterated over, each time from the snapshot of that moment. No part is
    ///   empty. The iteration throws ``StrongroomError`` with `noSuchRow`, `typeMismatch` if the value is NULL,
    ///   `blobAccess`, `invalidArgument`, `timedOut`, `closed`, `damaged`, or the engine's failure.
    public func bytes<V: BlobColumnValue>(
        of key: Source.Key, _ column: KeyPath<Source.Columns, Column<V>>, partSize: Int = 1 << 18,
        label: String? = nil, timeout: Duration? = nil
    ) -> BlobParts<Source> {
        BlobParts(
            store: store, column: Source.columns[keyPath: column].definition, key: key, partSize: partSize,
            limits: OperationLimits(label: label, timeout: timeout))
    }
}

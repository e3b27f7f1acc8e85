extension StoreTable {
    /// Replaces the value of a row by one that arrives in parts; two of them are in memory at the same time.
    ///
    /// ```swift
    /// try await store.table(Document.self).writeBlob(\.content, of: key, size: size, from: request.body)
    /// ```
    ///
    /// The write is a transaction of its own, which begins with the first part and holds the store's writer until the
    /// last one: other writes wait for as long as the parts take to arrive. A sequence must therefore not write in the
    /// same store. In a store in memory, the parts are collected first. See <doc:LargeValues>.
    ///
    /// - Parameters:
    ///   - column: The column, which must not be generated, indexed, unique or a reference.
    ///   - key: The primary key of the row, which must exist.
    ///   - size: The size of the new value in bytes; the parts must have as many.
    ///   - parts: The parts, in order, such as `Data` or `[UInt8]`. If it throws, the former value is kept.
    ///   - label: The name of the write in error messages, including timeouts of operations that wait for it.
    ///   - timeout: How long it may wait for the writer and run; nil for no limit.
    /// - Throws: As `Table.writeBlob` and `Store.write`; what the sequence throws; `CancellationError`.
    public func writeBlob<V: BlobColumnValue, Parts: AsyncSequence>(
        _ column: KeyPath<Source.Columns, Column<V>>, of key: Source.Key, size: Int, from parts: Parts,
        label: String? = nil, timeout: Duration? = nil
    ) async throws where Parts.Element: Collection<UInt8> {
        let column = Source.columns[keyPath: column].definition
        try await prepare()
        let channel = BlockingChannel<[UInt8]>()
        let limits = OperationLimits(label: label, timeout: timeout)
        guard !store.pool.hasOneConnection else {
            // The single connection must not be held: a read in the sequence would wait for it.
            var all: [UInt8] = []
            for try await part in parts { all.append(contentsOf: part) }
            return try await write(column, key, size, limits) { [all] append in try append(all) }
        }
        async let written: Void = write(column, key, size, limits, from: channel)
        await withTaskCancellationHandler {
            do {
                for try await part in parts {
                    try Task.checkCancellation()
                    guard await channel.send([UInt8](part)) else { break }
                }
                channel.finish(.success(()))
            } catch {
                channel.finish(.failure(error))
            }
        } onCancel: {
            channel.finish(.failure(CancellationError()))
        }
        try await written
    }

    private func write(
        _ column: ColumnDefinition, _ key: Source.Key, _ size: Int, _ limits: OperationLimits,
        from channel: BlockingChannel<[UInt8]>
    ) async throws {
        defer { channel.close() }
        // The writer is not held before the first part arrives.
        await channel.waitForFirst()
        let executor = store.executor
        try await write(column, key, size, limits) { append in
            while let part = try executor.blocking({ Result { try channel.receive() } }).get() { try append(part) }
        }
    }

    private func write(
        _ column: ColumnDefinition, _ key: Source.Key, _ size: Int, _ limits: OperationLimits,
        _ body: @escaping @Sendable (([UInt8]) throws -> Void) throws -> Void
    ) async throws {
        try await store.pool.write(as: .immediate, limits) { connection in
            try BlobPlace<Source>(column, key, on: connection).write(size) { writer in
                try body { try writer.append($0) }
            }
        }
    }
}

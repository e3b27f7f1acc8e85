public import Strongroom

/// What `withInterruption(after:)` throws in a statement's place.
public struct Interruption: Error, Sendable, Equatable, CustomStringConvertible {
    /// How many statements had run.
    public let statements: Int

    /// Makes the error, to compare one with.
    ///
    /// - Parameter statements: How many statements had run.
    public init(statements: Int) {
        self.statements = statements
    }

    /// What the error says.
    public var description: String { "interrupted after \(statements) statements by a test" }
}

extension Reading where Self: ~Copyable {
    /// Runs work whose statements fail from one on, as they do when the disk is full: to be used in a transaction,
    /// which then must leave nothing behind.
    ///
    /// Counted is each statement of the work, and of the library's own each that changes something, as in the rebuild
    /// of a table.
    ///
    /// ```swift
    /// await #expect(throws: Interruption.self) {
    ///     try await store.write { db in
    ///         try db.withInterruption(after: 1) { try transfer(100, from: savings, to: checking, in: db) }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - count: How many statements run; 0 for none. When the work has just as many, it is interrupted at its end.
    ///   - work: The work, in this transaction.
    /// - Returns: What the work returns, when it has fewer statements.
    /// - Throws: ``Interruption``, also when the work catches it and goes on; what the work throws.
    public func withInterruption<T>(after count: Int, _ work: () throws -> T) throws -> T {
        var ran = 0
        var isInterrupted = false
        let result = try watchingStatements { _, _ in
            guard ran < count else {
                isInterrupted = true
                throw Interruption(statements: count)
            }
            ran += 1
        } _: {
            try work()
        }
        if isInterrupted || ran == count { throw Interruption(statements: count) }
        return result
    }
}

extension Store {
    /// Runs a write whose statements fail from one on, and which leaves nothing behind.
    ///
    /// ```swift
    /// for count in 0..<4 {
    ///     await #expect(throws: Interruption.self) {
    ///         try await store.withInterruption(after: count) { db in
    ///             try transfer(100, from: savings, to: checking, in: db)
    ///         }
    ///     }
    ///     #expect(try await total(in: store) == 500)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - count: How many statements run; 0 for none. When the work has just as many, it is interrupted at its end.
    ///   - work: The write.
    /// - Returns: What the write returns, when it has fewer statements.
    /// - Throws: ``Interruption``; as `Store.write`.
    @discardableResult
    public func withInterruption<T: Sendable>(
        after count: Int, _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        try await write(as: .immediate) { db in
            try db.withInterruption(after: count) { try work(db) }
        }
    }
}

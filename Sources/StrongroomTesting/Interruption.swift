public import Strongroom

/// The error that `withInterruption(after:)` throws in place of a statement.
public struct Interruption: Error, Sendable, Equatable, CustomStringConvertible {
    /// The number of statements that ran.
    public let statements: Int

    /// Creates the error, for comparisons.
    ///
    /// - Parameter statements: The number of statements that ran.
    public init(statements: Int) {
        self.statements = statements
    }

    /// The error message.
    public var description: String { "interrupted after \(statements.counting("statement")) by a test" }
}

/// Lets a number of statements run; each further one fails, as on a full disk.
final class StatementLimit: Sendable {
    private let most: Int
    private let state = Locked<(ran: Int, isExceeded: Bool)>((0, false))

    init(_ most: Int) { self.most = most }

    /// Whether a statement has failed.
    var isExceeded: Bool { state.withLock { $0.isExceeded } }

    /// Counts a statement that is about to run.
    ///
    /// - Parameter statement: Nil for the end of the work, which does not fail if a statement has failed before: work
    ///   that catches the error continues to its end.
    /// - Throws: ``Interruption``.
    func count(_ statement: String?) throws {
        try state.withLock { state in
            if statement == nil, state.isExceeded { return }
            guard state.ran < most else {
                state.isExceeded = true
                throw Interruption(statements: most)
            }
            state.ran += 1
        }
    }
}

extension Reading where Self: ~Copyable {
    /// Runs work whose statements fail from a given one on, as on a full disk. Use it in a transaction, which must then
    /// have no effect.
    ///
    /// The count includes each statement of the work, and each statement of the library that changes something, as in
    /// the rebuild of a table.
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
    ///   - count: The number of statements that run; 0 for none. If the work has exactly as many, it is interrupted at
    ///     its end.
    ///   - work: The work, in this transaction.
    /// - Returns: The result of the work, if it has fewer statements.
    /// - Throws: ``Interruption``, also if the work catches it and continues; errors of the work.
    public func withInterruption<T>(after count: Int, _ work: () throws -> T) throws -> T {
        let limit = StatementLimit(count)
        let result = try watchingStatements { sql, _ in
            try limit.count(sql)
        } _: {
            try work()
        }
        guard !limit.isExceeded else { throw Interruption(statements: count) }
        try limit.count(nil)
        return result
    }
}

extension Store {
    /// Runs a write whose statements fail from a given one on, and which must have no effect.
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
    ///   - count: The number of statements that run; 0 for none. If the work has exactly as many, it is interrupted at
    ///     its end.
    ///   - work: The write.
    /// - Returns: The result of the write, if it has fewer statements.
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

import Foundation

/// Opening for code that is not async.
extension Stores {
    /// Opens a database, on the current thread; for code that is not async.
    ///
    /// ```swift
    /// let store = try stores.open("addressbook_alice.sqlite")
    /// ```
    ///
    /// A configuration with methods that require the main actor cannot answer while the main thread is blocked: open
    /// such a database with the async form, or from another thread.
    ///
    /// - Parameter fileName: The database's name, such as `addressbook_alice.sqlite`.
    /// - Returns: The store; ``Store/opening`` reports what was done.
    /// - Throws: As the async form; ``StrongroomError`` with `nestedAccess` inside a transaction of any store, whose
    ///   end the opening might have to wait for.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await stores.open(…)")
    public func open(_ fileName: String) throws -> Store {
        try openBlocking(DatabaseName(fileName), in: nil)
    }

    /// Opens a database whose name is already validated, on the current thread; for code that is not async.
    ///
    /// - Parameter name: The database's name.
    /// - Returns: The store.
    /// - Throws: As the method for a text.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await stores.open(…)")
    public func open(_ name: DatabaseName) throws -> Store {
        try openBlocking(name, in: nil)
    }

    /// Opens a database on the disk or in memory, overriding its configuration, on the current thread; for code that is
    /// not async.
    ///
    /// - Parameters:
    ///   - fileName: The database's name.
    ///   - place: Where to keep its data.
    /// - Returns: The store.
    /// - Throws: As the async form; ``StrongroomError`` with `nestedAccess` inside a transaction of any store.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await stores.open(…)")
    public func open(_ fileName: String, in place: Persistence) throws -> Store {
        try openBlocking(DatabaseName(fileName), in: place)
    }

    /// The threads for tasks that wait for openings, and that close stores: if callers block Swift's cooperative
    /// threads until an opening has ended, there may be none left for these.
    static let opener = StoreExecutor(
        name: "strongroom.task", threads: max(2, ProcessInfo.processInfo.activeProcessorCount))

    private func openBlocking(_ name: DatabaseName, in place: Persistence?) throws -> Store {
        let databases = CurrentTransaction.databases
        guard databases.isEmpty else {
            let list = databases.map { "\"\($0)\"" }.joined(separator: ", ")
            throw StrongroomError(
                .nestedAccess,
                """
                A blocking `open` inside a transaction of \(list) could wait for that transaction to end. Open the \
                store before the transaction.
                """,
                database: name.fileName)
        }
        let outcome = Promise<Result<Store, any Error>>()
        // Not detached: it belongs to the opening that the current task may belong to, so that cycles are detected.
        Task(executorPreference: Self.opener) {
            do {
                outcome.fulfill(.success(try await self.open(name, in: place)))
            } catch {
                outcome.fulfill(.failure(error))
            }
        }
        return try StoreExecutor.blockingAny { outcome.wait() }.get()
    }
}

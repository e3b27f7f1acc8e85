import Foundation

extension Stores {
    /// Opens a database: finds its configuration, creates the file or finds its key, and migrates it.
    ///
    /// Opening the name of an open store returns that store; if the store is being closed, or its file is restored,
    /// adopted or removed, a new one is opened once that is done. A configuration may open other databases to obtain
    /// its keys; work that it starts without waiting for belongs in a `Task.detached`, so that the opening is not
    /// considered to wait for it.
    ///
    /// - Parameter fileName: The database's name, such as `addressbook_alice.sqlite`.
    /// - Returns: The store; ``Store/openReport`` reports what was done.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `duplicateConfiguration`, `alreadyOpen`,
    ///   `locked`, `notAFile`, `fileMissing`, `fileChanged`, `emptyFile`, `notADatabase`, `truncated`, `damaged`,
    ///   `damagedLog`, `wrongKey`, `plaintextFile`, `plaintextHeader`, `encryptedFile`, `newerSchema`,
    ///   `migrationFailed`, `permissionDenied`, `diskFull`, `notSQLCipher`; `envelopeMissing`, `envelopeDamaged`,
    ///   `newerEnvelope`, `foreignEnvelope`, `keyProvider`; `closed` after ``shutDown(within:)``; `nestedAccess` if its
    ///   configuration opens a database whose opening waits for this one; what the configuration throws.
    public func open(_ fileName: String) async throws -> Store {
        try await open(DatabaseName(fileName))
    }

    /// Opens a database whose name is already validated.
    ///
    /// - Parameter name: The database's name.
    /// - Returns: The store.
    /// - Throws: As `open`.
    public func open(_ name: DatabaseName) async throws -> Store {
        try await request(name, .keep).store
    }

    /// Begins the opening of a store, in the task of the caller that has requested it first.
    func beginOpening(_ loan: StoreLoan) -> Task<Store, any Error> {
        let thread = TaskThread("strongroom.open")
        return Task(executorPreference: thread) {
            do {
                let store = try await StoreUse.run(.opening, loan.name, of: self) { try await self.open(loan) }
                thread.finish()
                self.perform { $0.opened(loan, store, at: .now) }
                // It is idle at once if nobody waits for it any more.
                self.sweepLater()
                return store
            } catch {
                thread.finish()
                self.ended(loan) { $0.failed(loan, error) }
                throw error
            }
        }
    }

    private func open(_ loan: StoreLoan) async throws -> Store {
        let configuration = try configuration(of: loan.name)
        let observers = resources.observers.withLock { $0 }
        return try await OperationWatch.observing(observers, loan.name, .open) { watch in
            watch?.grant()
            do {
                var opening = try StoreOpening(loan.name, configuration, sharing: resources, observers, watch)
                return try await opening.run { [weak self] in self?.ended(loan) { $0.closed(loan) } }
            } catch {
                throw (error as? StrongroomError)?.naming(loan.name.fileName) ?? error
            }
        }
    }
}

/// Opening for code that is not async.
extension Stores {
    /// Opens a database, on the current thread; for code that is not async.
    ///
    /// ```swift
    /// let store = try stores.open("addressbook_alice.sqlite")
    /// ```
    ///
    /// A configuration with methods that require the main actor cannot answer while the main thread is blocked: open
    /// such a database with the async form, or from another thread. While its file is restored, adopted or removed,
    /// this throws `alreadyOpen`, where the async form waits.
    ///
    /// - Parameter fileName: The database's name, such as `addressbook_alice.sqlite`.
    /// - Returns: The store; ``Store/openReport`` reports what was done.
    /// - Throws: As the async form; ``StrongroomError`` with `nestedAccess` inside a transaction of any store, whose
    ///   end the opening might have to wait for.
    @available(*, noasync, message: "in an async function (in main.swift, too): try await stores.open(…)")
    public func open(_ fileName: String) throws -> Store {
        let name = try DatabaseName(fileName)
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
                outcome.fulfill(.success(try await self.request(name, .keep, waitsForWork: false).store))
            } catch {
                outcome.fulfill(.failure(error))
            }
        }
        return try StoreExecutor.blockingAny { outcome.wait() }.get()
    }

    /// The threads for tasks that wait for openings, and that close stores: if callers block Swift's cooperative
    /// threads until an opening has ended, there may be none left for these.
    static let opener = StoreExecutor(
        name: "strongroom.task", threads: max(2, ProcessInfo.processInfo.activeProcessorCount))
}

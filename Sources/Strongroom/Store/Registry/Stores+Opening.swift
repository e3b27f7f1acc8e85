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
    /// - Returns: The store; ``Store/opening`` reports what was done.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `duplicateConfiguration`, `alreadyOpen`,
    ///   `locked`, `notAFile`, `fileMissing`, `fileChanged`, `emptyFile`, `notADatabase`, `truncated`, `damaged`,
    ///   `damagedLog`, `wrongKey`, `plaintextFile`, `plaintextHeader`, `encryptedFile`, `newerSchema`, `migrationFailed`, `permissionDenied`, `diskFull`, `notSQLCipher`; `envelopeMissing`,
    ///   `envelopeDamaged`, `newerEnvelope`, `foreignEnvelope`; `closed` after ``shutDown(within:)``; `nestedAccess` if
    ///   its configuration opens a database whose opening waits for this one; what the configuration throws.
    public func open(_ fileName: String) async throws -> Store {
        try await open(DatabaseName(fileName))
    }

    /// Opens a database whose name is already validated.
    ///
    /// - Parameter name: The database's name.
    /// - Returns: The store.
    /// - Throws: As `open`.
    public func open(_ name: DatabaseName) async throws -> Store {
        try await open(name, in: nil)
    }

    /// Opens a database on the disk or in memory, overriding its configuration.
    ///
    /// In memory it is created anew, with the configuration's migrator and settings; its keys are not requested.
    /// Opening the name again returns the same store until it is closed.
    ///
    /// ```swift
    /// let store = try await stores.open("addressbook_test.sqlite", in: .memory)
    /// ```
    ///
    /// - Parameters:
    ///   - fileName: The database's name.
    ///   - place: Where to keep its data.
    /// - Returns: The store.
    /// - Throws: As `open(_:)`; ``StrongroomError`` with `alreadyOpen` if the name is already open in the other
    ///   place.
    public func open(_ fileName: String, in place: Persistence) async throws -> Store {
        try await open(DatabaseName(fileName), in: place)
    }
    /// - Parameters:
    ///   - place: Where to keep its data; nil for the place in its settings.
    ///   - waitsForWork: Whether to wait for the end of work for which the store is kept closed.
    private func open(
        _ name: DatabaseName, waitsForWork: Bool = true, in place: Persistence?
    ) async throws -> Store {
        let found = try await request(name, .keep, waitsForWork: waitsForWork, in: place)
        do {
            return try found.store.lying(in: place)
        } catch {
            perform { $0.returned(found.loan, .keep, at: .now, closes: false) }
            sweepLater()
            throw error
        }
    }

    /// Begins the opening of a store, in the task of the caller that has requested it first.
    func beginOpening(_ loan: StoreLoan, in place: Persistence?) -> Task<Store, any Error> {
        let executor = OpeningExecutor()
        return Task(executorPreference: executor) {
            let result: Result<Store, any Error>
            do {
                let opening = OpeningWaits.Opening(self, loan)
                result = .success(try await OpeningWaits.run(opening) { try await self.make(loan, in: place) })
            } catch {
                result = .failure(error)
            }
            executor.finish()
            switch result {
            case .success(let store):
                self.perform { $0.opened(loan, store, at: .now) }
                // It is idle at once if nobody waits for it any more.
                self.sweepLater()
            case .failure(let error): self.ended(loan) { $0.failed(loan, error) }
            }
            return try result.get()
        }
    }

    private func make(_ loan: StoreLoan, in place: Persistence?) async throws -> Store {
        let name = loan.name
        let configuration = try configuration(of: name)
        let resources = resources.withLock { $0 }
        let watch = resources.observer.map { OperationWatch($0, name, .open) }
        watch?.grant()
        do {
            var opening = try StoreOpening(name, configuration, in: place)
            opening.observer = resources.observer.map {
                StoreObserver(observer: $0, name: name, outer: watch?.context)
            }
            var extensions = try StoreExtensions(opening.context)
            let store: Store
            do {
                try await extensions.prepare()
                store = try await opening.run(sharing: resources) { [weak self] in
                    self?.ended(loan) { $0.closed(loan) }
                }
                try await extensions.attach(to: store)
            } catch {
                await extensions.undoPreparation()
                throw error
            }
            watch?.end(nil)
            return store
        } catch {
            let error = (error as? StrongroomError)?.naming(name.fileName) ?? error
            watch?.end(error)
            throw error
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
                outcome.fulfill(.success(try await self.open(name, waitsForWork: false, in: place)))
            } catch {
                outcome.fulfill(.failure(error))
            }
        }
        return try StoreExecutor.blockingAny { outcome.wait() }.get()
    }
}

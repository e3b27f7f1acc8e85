/// Commits of other connections, which only the writer's connection can tell from the store's own.
extension ConnectionPool {
    /// Begins to find commits of other connections when the store is observed.
    func followForeignCommits(_ file: ForeignCommits.File?) {
        guard file != nil, let connection = writer.connection else { return }
        // Later commits are found, whenever an observer is added. If this fails, the first check reports a change.
        try? connection.recordDataVersion()
        foreign.begin { [weak self] in self?.postForeignCheck() ?? true }
    }

    /// Lets a thread of the executor acquire and release the writer; its release checks.
    ///
    /// - Returns: False if the writer is not free: its holder will check.
    private func postForeignCheck() -> Bool {
        guard queue.withLock({ $0.hasFreeWriter }) else { return false }
        executor.postBehind { [weak self] in
            guard let self, queue.withLock({ $0.acquireFreeWriter() }) else { return }
            free(.writer)
        }
        return true
    }
}

extension StoreContext {
    /// The file that other connections may change; nil in memory.
    var foreignCommits: ForeignCommits.File? {
        isInMemory ? nil : ForeignCommits.File(path: path, changes: settings.foreignChanges, logger: logger)
    }
}

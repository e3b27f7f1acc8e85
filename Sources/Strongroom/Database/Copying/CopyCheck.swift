/// The check of a copy's structure, on two threads, after it was written and while no other connection writes it.
///
/// The engine's integrity check looks up each row in each index, on one processor. Where all indexes can be compared
/// with their tables by their entries, each index and each table is read once, in its own order, and the engine checks
/// the rest. If that finds anything, the engine's integrity check decides, and describes it.
struct CopyCheck: Sendable {
    /// Opens a further connection to the copy.
    let open: @Sendable () throws -> Connection
    /// Returns the pages of the copy; nil for plaintext.
    let pages: @Sendable () throws -> PageContents?
    let isCancelled: @Sendable () -> Bool

    /// Checks the structure.
    ///
    /// - Parameter others: Further work, begun before the check and done at the same time. If it fails, its failure is
    ///   thrown in place of one of the check, whose cause it may be.
    /// - Returns: The first finding of the engine's integrity check; nil if there is none.
    /// - Throws: What opening, the engine and the other work throw; `CancellationError`.
    func firstDefect(beside others: [SharedWork.Piece]) throws -> String? {
        if let isSound = try passesComparison(beside: others) {
            return try isSound ? nil : connected { try $0.firstDefect() }
        }
        let defect = Locked(Result<String?, any Error>.success(nil))
        let check: SharedWork.Piece = { hasFailed in
            let found = Result { try connected(hasFailed) { try $0.firstDefect() } }
            defect.withLock { $0 = found }
        }
        try run(others + [check])
        return try defect.withLock { $0 }.get()
    }

    /// Checks the structure without looking up the rows.
    ///
    /// - Returns: Whether it is certain that nothing is wrong; nil, and nothing was done, if not all indexes can be
    ///   compared.
    func passesComparison(beside others: [SharedWork.Piece]) throws -> Bool? {
        guard let tables = try comparableTables() else { return nil }
        let comparison = Comparison(check: self, tables)
        try run(others + [comparison.work, comparison.work])
        return comparison.isPassed
    }

    private func comparableTables() throws -> [ComparableTable]? {
        guard try pages() != nil else { return nil }
        do {
            return try connected { try $0.comparableTables() }
        } catch let error as StrongroomError where error.code != .interrupted {
            // A schema that cannot be read is described by the engine's check.
            return nil
        }
    }

    private func run(_ pieces: [SharedWork.Piece]) throws { try SharedWork.run("strongroom.copy", pieces) }

    /// Runs work in a snapshot, on a connection of its own.
    fileprivate func connected<T>(
        _ hasFailed: @escaping @Sendable () -> Bool = { false }, _ body: (Connection) throws -> T
    ) throws -> T {
        let connection = try open()
        defer { connection.close() }
        connection.stop { isCancelled() || hasFailed() }
        return try connection.inSnapshot { try body(connection) }
    }
}

/// The comparison of all indexes of a copy with their tables, in jobs that several threads take one by one.
private final class Comparison: Sendable {
    /// Does not refer to its comparison, which has it.
    private typealias Job = @Sendable (Comparison, Connection, _ hasFailed: () -> Bool) throws -> Void

    private struct State {
        var jobs: [Job] = []
        /// The sums of the entries that each index has, by its root page, and of those that it should have.
        var (found, expected): ([Int: IndexEntries.Sum], [Int: IndexEntries.Sum]) = ([:], [:])
        var isDoubtful = false
    }

    private let check: CopyCheck
    private let state = Locked(State())

    init(check: CopyCheck, _ tables: [ComparableTable]) {
        self.check = check
        var jobs: [Job] = [{ comparison, connection, _ in try comparison.require(connection.passesQuickCheck()) }]
        for table in tables {
            jobs.append { comparison, connection, _ in
                let sums = try table.expectedEntries(connection)
                comparison.require(sums != nil)
                for (index, sum) in zip(table.indexes, sums ?? []) { comparison.add(sum, of: index, to: \.expected) }
            }
            for index in table.indexes {
                jobs.append { comparison, connection, _ in
                    let entries = try index.entries(connection)
                    comparison.require(entries.isCertain)
                    comparison.add(entries.sum, of: index, to: \.found)
                }
                jobs.append { comparison, _, hasFailed in
                    guard let contents = try check.pages() else { return comparison.require(false) }
                    try comparison.require(
                        IndexPages(contents: contents).haveEntries(ofValues: index.columns.count, root: index.root) {
                            if hasFailed() || check.isCancelled() { throw CancellationError() }
                        })
                }
            }
        }
        // Taken from the end.
        state.withLock { $0.jobs = jobs.reversed() }
    }

    /// Whether all jobs are done, and nothing is wrong.
    var isPassed: Bool { state.withLock { $0.jobs.isEmpty && !$0.isDoubtful && $0.found == $0.expected } }

    /// Does jobs until none is left, or something is found.
    var work: SharedWork.Piece {
        { [self] hasFailed in
            guard state.withLock({ !$0.jobs.isEmpty && !$0.isDoubtful }) else { return }
            do {
                try check.connected(hasFailed) { connection in
                    while let job = state.withLock({ $0.isDoubtful ? nil : $0.jobs.popLast() }) {
                        try job(self, connection, hasFailed)
                    }
                }
            } catch let error as StrongroomError where error.code != .interrupted {
                require(false)
            }
        }
    }

    private func require(_ isFulfilled: Bool) {
        if !isFulfilled { state.withLock { $0.isDoubtful = true } }
    }

    private func add(
        _ sum: IndexEntries.Sum, of index: ComparableTable.Index,
        to sums: WritableKeyPath<State, [Int: IndexEntries.Sum]>
    ) {
        // Two indexes with one root page are a defect.
        let isFirst = state.withLock { $0[keyPath: sums].updateValue(sum, forKey: index.root) == nil }
        require(isFirst)
    }
}

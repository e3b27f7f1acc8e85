/// The check of the structure of a finished copy, which nobody else uses, on two threads.
///
/// The engine's integrity check looks up each row in each index, on one processor. Where all indexes can be compared
/// with their tables by their entries, the engine checks the rest, and each index and each table is read once, in its
/// own order. What differs is then looked up by the engine, which describes it.
struct CopyCheck: Sendable {
    /// Opens a further connection to the copy, which stops when the function returns true.
    let open: @Sendable (_ isStopped: @escaping @Sendable () -> Bool) throws -> Connection
    /// Returns the pages of the copy; nil for plaintext.
    let pages: @Sendable () throws -> PageContents?

    /// Checks the structure.
    ///
    /// - Parameter others: Further work, begun before the check and done at the same time.
    /// - Returns: The first defect; nil if there is none.
    /// - Throws: What opening, the engine and the other work throw.
    func firstDefect(beside others: [SharedWork.Piece]) throws -> String? {
        // A schema that cannot be read is described by the engine's check.
        guard let tables = (try? pages() == nil ? nil : connected { try $0.comparableTables() }) ?? nil else {
            let outcome = Locked(Result<String?, any Error>.success(nil))
            let structure: SharedWork.Piece = { hasFailed in
                let found = Result { try connected(hasFailed) { try $0.firstDefect() } }
                outcome.withLock { $0 = found }
            }
            // A failure of the other work goes first: it may be the cause.
            try run(others + [structure])
            return try outcome.withLock { $0 }.get()
        }
        let doubt = Locked<Doubt?>(nil)
        try run(others + comparisons(of: tables, doubt))
        guard let doubt = doubt.withLock({ $0 }) else { return nil }
        return try connected { try $0.firstDefect() } ?? doubt.defect
    }

    /// The result of a comparison that the engine's integrity check has to decide.
    private enum Doubt {
        /// The engine's check decides alone.
        case failure
        /// An index that is not that of its table; the engine does not see every difference.
        case index(ComparableTable.Index)

        var defect: String? {
            if case .index(let index) = self { index.defect } else { nil }
        }
    }

    private func comparisons(of tables: [ComparableTable], _ doubt: Locked<Doubt?>) -> [SharedWork.Piece] {
        let found = Locked<[Int: [IndexEntries.Sum]]>([:])
        /// Compares when both sums of an index are known.
        @Sendable func add(_ sum: IndexEntries.Sum, of index: ComparableTable.Index) {
            let sums = found.withLock { found in
                found[index.root, default: []].append(sum)
                return found[index.root] ?? []
            }
            if sums.count == 2, sums[0] != sums[1] { doubt.withLock { $0 = $0 ?? .index(index) } }
        }
        func comparison(_ body: @escaping @Sendable (Connection) throws -> Void) -> SharedWork.Piece {
            { hasFailed in
                guard doubt.withLock({ $0 == nil }) else { return }
                do {
                    try connected(hasFailed, body)
                } catch let error as StrongroomError where error.code != .interrupted {
                    doubt.withLock { $0 = $0 ?? .failure }
                }
            }
        }
        var pieces = [
            comparison { connection in
                guard try !connection.passesQuickCheck() else { return }
                doubt.withLock { $0 = $0 ?? .failure }
            }
        ]
        for table in tables {
            pieces.append(
                comparison { connection in
                    let sums = try table.expectedEntries(connection)
                    for (index, sum) in zip(table.indexes, sums) { add(sum, of: index) }
                })
            for index in table.indexes {
                pieces.append(
                    comparison { connection in
                        guard let sum = try index.entries(connection) else {
                            return doubt.withLock { $0 = $0 ?? .index(index) }
                        }
                        add(sum, of: index)
                    })
                pieces.append(
                    comparison { _ in
                        guard let contents = try pages() else { return }
                        let count = index.columns.count
                        guard try !IndexPages(contents: contents).haveEntries(ofValues: count, root: index.root)
                        else { return }
                        doubt.withLock { $0 = $0 ?? .failure }
                    })
            }
        }
        return pieces
    }

    private func run(_ pieces: [SharedWork.Piece]) throws { try SharedWork.run("strongroom.copy", pieces) }

    /// Runs work in a snapshot, on a connection of its own.
    private func connected<T>(
        _ isStopped: @escaping @Sendable () -> Bool = { false }, _ body: (Connection) throws -> T
    ) throws -> T {
        let connection = try open(isStopped)
        defer { connection.close() }
        return try connection.inSnapshot { try body(connection) }
    }
}

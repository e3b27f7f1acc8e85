extension Migrator {
    /// What is to be done to a file, found without a write.
    struct Plan: Equatable {
        enum Work: Equatable {
            /// The file has no table: it gets today's schema.
            case create
            /// These steps are missing.
            case apply(Range<Int>)
            /// These steps are to be undone, the last one first.
            case undo(Range<Int>)
            /// The tables are to become what is declared.
            case adapt([AutomaticSchema.Change])
        }

        /// The version that the file has; nil for a fresh file and for one without a history.
        let from: String?
        let work: Work
        /// The versions that the file went through and whose statements are others today.
        var changed: [String] = []

        /// Whether all that is there stays as it is.
        var onlyCreatesTables: Bool {
            guard case .adapt(let changes) = work else { return false }
            return changes.allSatisfy { if case .createTable = $0 { true } else { false } }
        }

        /// Whether anything is to be done to a file that is there.
        var hasWork: Bool {
            switch work {
            case .create: false
            case .apply(let places), .undo(let places): !places.isEmpty
            case .adapt(let changes): !changes.isEmpty
            }
        }
    }

    /// Finds what is to be done.
    ///
    /// - Parameter version: The version that the file is to have; nil for the newest.
    /// - Throws: ``StrongroomError`` with `newerSchema` for a version that the migrator does not know,
    ///   `invalidMigrator` for mistakes in the list, such as a file whose versions stand in another order or with one
    ///   missing, and for a version that the list does not have or that cannot be gone back to.
    func plan(for connection: Connection, to version: String? = nil) throws -> Plan {
        if let automatic { return try plan(for: connection, automatic, to: version) }
        try check()
        let target = try place(of: version, connection)
        // In a transaction, at whose end damage is told that would be read as other versions.
        let (entries, isEmpty) = try connection.inSnapshot {
            let entries = try VersionHistory(connection: connection).entries()
            return (entries, try connection.ownValue("SELECT 1 FROM sqlite_master LIMIT 1") == nil)
        }
        guard let last = entries.last?.version else {
            let isNewest = target == migrations.count - 1
            return Plan(from: nil, work: isEmpty && tables != nil && isNewest ? .create : .apply(0..<target + 1))
        }
        let place = try place(after: entries.map(\.version), in: connection)
        let changed = try changedVersions(entries, in: connection)
        guard target < place else {
            return Plan(from: last, work: .apply(place + 1..<target + 1), changed: changed)
        }
        let missing = migrations[target + 1...place].filter { $0.down == nil }.map { "\"\($0.version)\"" }
        guard missing.isEmpty else { throw noWayBack(missing.reversed(), connection) }
        return Plan(from: last, work: .undo(target + 1..<place + 1), changed: changed)
    }

    private func place(of version: String?, _ connection: Connection) throws -> Int {
        guard let version else { return migrations.count - 1 }
        guard let place = place(of: version) else {
            throw StrongroomError(
                .invalidMigrator,
                """
                There is no version "\(version)" in the migrator, which has \(list(migrations.map(\.version))). Give \
                one of these; the file was not touched.
                """,
                database: connection.database
            )
        }
        return place
    }

    /// The place in the list of the version that a file has.
    private func place(after recorded: [String], in connection: Connection) throws -> Int {
        let known = migrations.map(\.version)
        guard let last = recorded.last, let place = self.place(of: last) else {
            throw unknown(recorded.last ?? "", in: connection.database)
        }
        let expected = known[...place].suffix(recorded.count)
        guard expected.map({ Array($0.utf8) }) != recorded.map({ Array($0.utf8) }) else { return place }
        throw StrongroomError(
            .invalidMigrator,
            """
            The file has been through the versions \(list(recorded)), which stand otherwise in the migrator \
            (\(list(known))): \(difference(recorded, known)). Put new migrations at the end of the list only, and \
            leave the old ones in it; the file was not touched.
            """,
            database: connection.database
        )
    }

    private func difference(_ recorded: [String], _ known: [String]) -> String {
        let missing = recorded.filter { !known.contains($0) }
        guard missing.isEmpty else { return "\(list(missing)) is missing from the list" }
        // The places at which the file's versions stand today; the first is where its history begins.
        let places = recorded.compactMap { known.firstIndex(of: $0) }
        guard places == places.sorted(), let first = places.first, let last = places.last else {
            return "their order is another one"
        }
        let passedOver = known[first...last].filter { !recorded.contains($0) }
        return "the file has not been through \(list(passedOver))"
    }

    private func list(_ versions: [String]) -> String {
        versions.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private func noWayBack(_ versions: [String], _ connection: Connection) -> StrongroomError {
        StrongroomError(
            .invalidMigrator,
            """
            There is no way back from \(versions.joined(separator: ", ")): give \
            \(versions.count == 1 ? "this migration" : "these migrations") a `down`, or go on with the version that \
            the file has. The file was not touched.
            """,
            database: connection.database
        )
    }

    private func unknown(_ version: String, in database: String) -> StrongroomError {
        StrongroomError(
            .newerSchema,
            """
            The file has schema version "\(version)", which this program does not know (its newest is \
            "\(newestVersion ?? "")"). Use a newer program; the file was not touched.
            """,
            database: database
        )
    }
}

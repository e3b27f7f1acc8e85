import ArgumentParser
import Strongroom

/// `reindex`: creates full-text indexes anew.
struct ReindexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reindex",
        abstract: "Rebuilds the full-text indexes of databases from their tables.",
        discussion: """
            For an index that differs from its table according to verify, was created by another engine, or must keep \
            no words of deleted rows. Each database is written in one transaction.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @OptionGroup var output: OutputOptions

    struct Detail: Encodable, Sendable {
        /// The names of the indexes.
        let indexes: [String]
    }

    func run() async throws {
        let command = FamilyCommand<Detail>(
            name: "reindex", label: "Indexing", databases: try databases.resolve(), options: family, output: output,
            unit: .count, isStillDone: { database, _ in try Stores.hasFile(at: database.path) })
        try await command.run { database, _ in
            let indexes = try await database.using { store in
                try await store.write { db in try db.rebuildFullText() }
            }
            guard !indexes.isEmpty else { return .init(.skipped, "no full-text index", Detail(indexes: [])) }
            let what = indexes.count == 1 ? "1 full-text index" : "\(indexes.count) full-text indexes"
            return .init(.done, "\(what) created", Detail(indexes: indexes))
        }
    }
}

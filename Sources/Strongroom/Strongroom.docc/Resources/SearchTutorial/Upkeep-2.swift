import Strongroom

func check(_ store: Store) async throws -> Bool {
    let report = try await store.verify()
    if !report.isIntact { print(report) }
    return report.isIntact
}

func rebuild(_ store: Store) async throws {
    let indexes = try await store.write { db in try db.rebuildFullText(of: "note") }
    print("created anew:", indexes.joined(separator: ", "))
}

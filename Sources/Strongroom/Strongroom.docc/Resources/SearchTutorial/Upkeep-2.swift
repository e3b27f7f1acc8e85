import Strongroom

func check(_ store: Store) async throws -> Bool {
    let report = try await store.verify()
    if !report.isWhole { print(report) }
    return report.isWhole
}

func rebuild(_ store: Store) async throws {
    let indexes = try await store.write { db in try db.rebuildFullText(of: "note") }
    print("created anew:", indexes.joined(separator: ", "))
}

import Strongroom

func check(_ store: Store) async throws -> Bool {
    let report = try await store.verify()
    if !report.isIntact { print(report) }
    return report.isIntact
}

import Strongroom

func check(_ store: Store) async throws -> Bool {
    let report = try await store.verify()
    if !report.isWhole { print(report) }
    return report.isWhole
}

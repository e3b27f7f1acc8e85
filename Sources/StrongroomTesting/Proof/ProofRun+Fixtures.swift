import Strongroom

extension ProofRun {
    /// Migrates every fixture file to every later version.
    func proveFixtures() async throws {
        for fixture in try fixtures() { try await prove(fixture) }
    }

    private static let advice = "put the old code back, and a new migration at the end of the list"

    private func prove(_ fixture: Fixture) async throws {
        let way = "fixture \(fixture.name)"
        let file = try ProofFile(subject, copying: fixture.path)
        let seen = await attempting("a fixture file cannot be opened with `MigrationProof.fixtureKey`", on: way) {
            try await file.using(nil, keys: [key(of: fixture)], rotation: .manual) { store in
                try await store.read { db in
                    (
                        try db.value(
                            "SELECT version FROM strongroom_migrations ORDER BY place DESC LIMIT 1", as: String.self),
                        try SchemaDescription(in: db)
                    )
                }
            }
        }
        guard let (recorded, schema) = seen else { return }
        guard let recorded, let start = index(of: recorded) else {
            report.add(
                """
                a fixture file is of version "\(recorded ?? "")", which the migrator does not contain: keep \
                released versions in the list
                """,
                on: way)
            return
        }
        report.fixtures.append(fixture.name)
        let differences = schema.differences(
            from: schemas[start], here: "the file that was recorded", there: "what the migrations make today")
        for difference in differences {
            report.add(
                """
                a migration up to "\(recorded)" was changed after its version was recorded: \(difference); \
                \(Self.advice)
                """, on: way)
        }
        // The schema also differs at every later version, which is not reported again.
        guard differences.isEmpty else { return }
        for end in migrations.indices where end >= start {
            let file = try ProofFile(subject, copying: fixture.path)
            try await file.adopt([key(of: fixture)])
            let keys = [key(of: fixture), .numbered(2)]
            _ = try await inspect(
                at: file, through: end, since: start, on: "\(way) → \(version(end))", keys: keys, changes: .warn
            ) { opening in
                let changed = opening.migration?.changed ?? []
                let names = changed.map { "\"\($0)\"" }.joined(separator: ", ")
                return changed.isEmpty
                    ? nil
                    : """
                    the statements of migration \(names) were changed after a file had been through them; \(Self.advice)
                    """
            }
        }
    }
}

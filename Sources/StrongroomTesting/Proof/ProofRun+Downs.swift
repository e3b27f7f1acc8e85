import Strongroom

extension ProofRun {
    /// Every way down whose migrations can all be undone, and up again: the schema is that of the version, and what was planted there before
    /// it went up is right.
    func proveDowns() async throws {
        for start in migrations.indices {
            for end in migrations.indices where end > start {
                guard migrations[(start + 1)...end].allSatisfy({ $0.down != nil }) else { continue }
                try await goDown(from: end, to: start)
            }
        }
        let oneWay = migrations.dropFirst().filter { $0.down == nil }.map { "«\($0.version)»" }
        if !oneWay.isEmpty {
            report.leftOut.append("the way down from \(oneWay.joined(separator: ", ")): there is no `down`")
        }
    }

    private func goDown(from end: Int, to start: Int) async throws {
        let file = try stages[start].copy()
        let (higher, lower) = (version(end), version(start))
        let way = "\(higher) → \(lower)"
        let what = "a file of «\(higher)» cannot be brought back to «\(lower)»"
        let isDown = await attempting(what, on: way) {
            try await file.using(steps(through: end)) { store in try await store.migrate(to: lower).to == lower }
        }
        guard let isDown else { return }
        guard isDown else { return report.add(what, on: way) }
        guard try await look(at: file, through: start, since: start, on: "\(lower) → \(way)") != nil else { return }
        let again = "\(lower) → \(way) → \(higher)"
        guard try await look(at: file, through: end, since: start, on: again) != nil else { return }
        report.downs.append(way)
    }
}

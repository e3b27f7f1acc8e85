import Strongroom

extension ProofRun {
    /// Tests every downgrade whose migrations can all be reverted: with an upgrade before and after it, with the data
    /// planted at the lower version, and directly, with the data planted at the higher one.
    func proveDowns() async throws {
        for start in migrations.indices {
            for end in migrations.indices where end > start && canGoDown(from: end, to: start) {
                try await goUpAndDown(from: end, to: start)
                try await goStraightDown(from: end, to: start)
            }
        }
        let oneWay = migrations.dropFirst().filter { $0.down == nil }.map { "\"\($0.version)\"" }
        if !oneWay.isEmpty {
            report.leftOut.append("the downgrade from \(oneWay.joined(separator: ", ")): there is no `down`")
        }
    }

    private func canGoDown(from end: Int, to start: Int) -> Bool {
        migrations[(start + 1)...end].allSatisfy { $0.down != nil }
    }

    /// The schema must be that of the version, and the data planted before the upgrade must be correct.
    private func goUpAndDown(from end: Int, to start: Int) async throws {
        let file = try stages[start].copy()
        let (higher, lower) = (version(end), version(start))
        let way = "\(higher) → \(lower)"
        guard await goDown(file, from: end, to: start, on: way) else { return }
        guard try await inspect(at: file, through: start, since: start, on: "\(lower) → \(way)") != nil else { return }
        let again = "\(lower) → \(way) → \(higher)"
        guard try await inspect(at: file, through: end, since: start, on: again) != nil else { return }
        report.downs.append(way)
    }

    /// The schema must be that of the lower version, and the data planted at the higher one must be correct if its
    /// planting extends to that version.
    private func goStraightDown(from end: Int, to start: Int) async throws {
        let file = try stages[end].copy()
        let way = "\(version(end)) → \(version(start))"
        guard await goDown(file, from: end, to: start, on: way) else { return }
        _ = try await inspect(at: file, through: start, since: end, on: way)
    }

    /// Migrates a file to the higher version, if necessary, and back.
    ///
    /// - Returns: Whether it is at the lower version.
    private func goDown(_ file: ProofFile, from end: Int, to start: Int, on way: String) async -> Bool {
        let (higher, lower) = (version(end), version(start))
        let what = "a file of \"\(higher)\" cannot be downgraded to \"\(lower)\""
        let isDown = await attempting(what, on: way) {
            try await file.using(steps(through: end)) { store in try await store.migrate(to: lower).to == lower }
        }
        if isDown == false { report.add(what, on: way) }
        return isDown == true
    }
}

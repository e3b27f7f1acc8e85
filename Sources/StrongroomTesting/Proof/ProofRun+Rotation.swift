import Strongroom

extension ProofRun {
    /// Rotates keys during migrations: once for every pair that ends at the newest version, and at every single step.
    func proveRotation() async throws {
        guard subject.configuration.settings(for: subject.name).rotation != .never else {
            report.leftOut.append("rotation during migrations: the configuration's settings never rotate files")
            return
        }
        for start in migrations.indices where start < last {
            let way = "\(version(start)) → \(version(last)) with a new key"
            try await rotate(try stages[start].copy(), to: last, from: start, keys: 1...2, on: way)
        }
        let file = try stages[0].copy()
        var way = version(0)
        for end in migrations.indices.dropFirst() {
            way += " → \(version(end))"
            let newest = UInt8(clamping: min(end + 1, 250))
            let isRotated = try await rotate(
                file, to: end, from: 0, keys: (newest - 1)...newest, on: "\(way) with a new key each")
            // After a failed step, the file's key is unknown.
            guard isRotated, newest < 250 else { return }
        }
    }

    /// - Returns: Whether the file uses the newer key.
    @discardableResult
    private func rotate(
        _ file: ProofFile, to end: Int, from start: Int, keys: ClosedRange<UInt8>, on way: String
    ) async throws -> Bool {
        let chain = keys.map { Key.numbered($0) }
        let seen = try await inspect(at: file, through: end, since: start, on: way, keys: chain, rotation: .onOpen) {
            opening in
            if let failure = opening.rotationFailure {
                return "the file could not be rotated while it was migrated: \(failure)"
            }
            return opening.rotation == nil ? "the file was not rotated while it was migrated" : nil
        }
        guard seen != nil else { return false }
        // Only the newer key must open the file.
        _ = try await inspect(at: file, through: end, since: start, on: way, keys: Array(chain.suffix(1)))
        do {
            try await file.copy().using(steps(through: end), keys: Array(chain.prefix(1))) { _ in }
            report.add("the older key still opens a file that was rotated", on: way)
            return false
        } catch let error as StrongroomError where error.code == .wrongKey {
            report.rotations += 1
            return true
        }
    }
}

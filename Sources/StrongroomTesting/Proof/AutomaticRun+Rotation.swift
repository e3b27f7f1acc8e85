import Strongroom

extension AutomaticRun {
    /// Migrates a file and rotates it to a newer key in the same opening.
    func proveRotation(of origin: Origin) async throws {
        guard subject.configuration.settings(for: subject.name).rotation != .never else { return }
        let (file, newest) = (try origin.file.copy(), Key.numbered(2))
        let plantings = plantings(at: origin.version)
        let way = "\(origin.title) → \(today.version) with a new key"
        let seen = try await migrate(
            file, from: (origin.snapshot, origin.version), plantings: plantings, with: today,
            keys: [origin.key, newest], rotation: .onOpen, on: way, title: origin.title
        ) { opening in
            if let failure = opening.rotationFailure {
                return "the file could not be rotated while it was migrated: \(failure)"
            }
            return opening.rotation == nil ? "the file was not rotated while it was migrated" : nil
        }
        guard seen != nil else { return }
        // Only the newer key must open the file.
        _ = try await migrate(
            file, from: nil, plantings: plantings, with: today, keys: [newest], on: way, title: origin.title)
        do {
            try await file.copy().using(migrator: today.migrator, keys: [origin.key]) { _ in }
            report.add("the older key still opens a file that was rotated", on: way)
        } catch let error as StrongroomError where error.code == .wrongKey {
            report.rotations += 1
        }
    }
}

import Strongroom

extension AutomaticRun {
    /// A new file must have today's tables, and hold the data that is planted in it and the records.
    ///
    /// - Returns: Whether a new file can be created.
    func proveFreshFile() async throws -> Bool {
        let (file, keys, way) = (try ProofFile(subject), [Key.numbered(1)], "a new file")
        let created: SchemaDescription? = await attempting("a new file cannot be created", on: nil) {
            try await file.using(migrator: today.migrator, keys: keys) { store in
                try await store.read { db in try SchemaDescription(in: db) }
            }
        }
        guard let created else { return false }
        schema = created
        let plantings = plantings(at: today.version)
        let planted: Void? = await attempting("data cannot be planted at \"\(today.version)\"", on: nil) {
            try await file.using(migrator: nil, keys: keys, rotation: .manual) { store in
                for planting in plantings { try await store.write(as: .immediate) { db in try planting.plant(db) } }
            }
        }
        guard planted != nil else { return true }
        try await proveInterruptionsOfCreation()
        let after = try await migrate(
            file, from: nil, plantings: plantings, with: today, keys: keys, on: way, title: way)
        guard let after else { return true }
        let origin = Origin(
            version: today.version, title: "\"\(today.version)\"", file: try file.copy(), key: keys[0], snapshot: after)
        newest = origin
        try await proveBacks(of: origin)
        try await proveThatNothingChanges(file, keys: keys, on: way)
        try await proveRecords(in: file, with: today.migrator, keys: keys, on: way)
        return true
    }

    func plantings(at version: String) -> [Planting] {
        proof.plantings.filter { $0.version == version }
    }

    /// Creates a file of a release, with the data planted at it.
    func make(_ release: Release) async throws {
        let (file, key) = (try ProofFile(subject), Key.numbered(1))
        let version = release.version
        let plantings = plantings(at: version)
        let created: Void? = await attempting(
            "a file of the release \"\(version)\" (\(release.location)) cannot be created with its data", on: nil
        ) {
            try await file.using(migrator: release.migrator, keys: [key], rotation: .manual) { store in
                if let create = release.create { try await store.write(as: .immediate) { db in try create(db) } }
                for planting in plantings { try await store.write(as: .immediate) { db in try planting.plant(db) } }
            }
        }
        guard created != nil else { return }
        try await add(file, version: version, title: "\"\(version)\"", key: key)
    }

    /// Copies a fixture file, and compares its schema with that of the release if the test declares it.
    func open(_ fixture: Fixture) async throws {
        let file = try ProofFile(subject, copying: fixture.path)
        let key = key(of: fixture)
        _ = await attempting("a fixture file cannot be opened with its key", on: "fixture \(fixture.name)") {
            try await file.adopt([key])
        }
        let version = fixture.version
        let title = "fixture \(fixture.name)"
        let declared = origins.first { $0.version == version }
        guard let snapshot = try await add(file, version: version, title: title, key: key) else { return }
        report.fixtures.append(fixture.name)
        guard let declared else { return }
        let differences = snapshot.schema.differences(
            from: declared.snapshot.schema, here: "the fixture file", there: "the declared release")
        for difference in differences {
            report.add("the release \"\(version)\" is not declared as its file was recorded: \(difference)", on: title)
        }
    }

    /// Adds a file, if it can be read and its data is correct at its own version.
    @discardableResult
    private func add(_ file: ProofFile, version: String, title: String, key: Key) async throws -> Snapshot? {
        let what = key == .numbered(1) ? "cannot be opened" : "cannot be opened with its key"
        let plantings = plantings(at: version)
        let seen = await attempting("a file of the release \"\(version)\" \(what)", on: title) {
            try await file.using(migrator: nil, keys: [key], rotation: .manual) { store in
                try await Snapshot.read(store, plantings, at: version)
            }
        }
        guard let (snapshot, faults) = seen else { return nil }
        for fault in faults { report.add(fault, on: title) }
        origins.append(Origin(version: version, title: title, file: file, key: key, snapshot: snapshot))
        return snapshot
    }
}

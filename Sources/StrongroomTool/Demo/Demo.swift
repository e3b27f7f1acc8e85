import Configurations
import Strongroom
import StrongroomCommands

/// The steps of the demo.
struct Demo {
    let inventory: Inventory
    let name: String
    let input: String
    let word: String
    let top: Int
    let story: DemoStory

    private static let readers = 4

    /// Runs every step.
    ///
    /// - Returns: What was found out.
    /// - Throws: `CommandFailure` for a control file that cannot be used, `StrongroomError`.
    func run() async throws -> DemoReport {
        var report = DemoReport()
        // Before anything is created: a wrong input or name leaves nothing behind.
        let databaseName = try DatabaseName(name)
        let stores = try Stores(inventory)
        let file = try open(input)
        try introduce(&report, packages: file.paragraphCount)

        let store = try await open(databaseName, in: stores, &report)
        do {
            try await importPackages(file, "Store", into: store, &report)
            try await importPackages(file, "Update", into: store, &report)
            try await readBesideWriter(file, store, &report)
            try await count(store, &report)
            try await search(store, &report)
        } catch {
            try await stores.closeAll()
            throw error
        }
        try await stores.closeAll()
        // Only now: reading the file while the engine has it open would drop the engine's locks.
        try lookForPlaintext(store.path, file, &report)
        show(report)
        return report
    }

    private func open(_ path: String) throws -> ControlFile {
        do {
            return try ControlFile.read(path: path)
        } catch {
            throw CommandFailure(controlFile: error, path: path)
        }
    }

    private func introduce(_ report: inout DemoReport, packages: Int) throws {
        let features = try EngineFeatures.current()
        report.engine = features.cipherVersion
        report.sqlite = features.sqliteVersion
        report.keyFile = inventory.keyFile.path
        report.input = input
        story.title("Strongroom: installed software in an encrypted store")
        story.fact("Engine", "SQLCipher \(features.cipherVersion) (SQLite \(features.sqliteVersion))")
        story.fact("Input", "\(input), \(HumanReadable.count(packages, "package"))")
        if report.build == "debug" {
            story.fact("Times", "of a debug build; swift run -c release strongroom demo shows what the library can do")
        }
        story.blank()
    }

    private func open(_ name: DatabaseName, in stores: Stores, _ report: inout DemoReport) async throws -> Store {
        let hadKeys = try inventory.keyFile.exists()
        let (store, duration) = try await timed { try await stores.open(name) }
        report.created = store.openReport.outcome == .created
        report.path = store.path
        let rotation = store.openReport.rotation == nil ? "" : ", rotated to the newest key"
        let keys = hadKeys ? "the keys in" : "one random key, created now, in"
        story.step(
            "Open",
            "\(report.created ? "created" : "found") \(store.path)\(rotation), with \(keys) \(inventory.keyFile.path)",
            duration
        )
        report.add("open", duration)
        return store
    }

    private func importPackages(
        _ file: ControlFile, _ label: String, into store: Store, _ report: inout DemoReport
    ) async throws {
        let progress = story.progress(label, total: file.paragraphCount)
        let (result, duration) = try await timed {
            try await importing {
                try await store.write { db in
                    try InventoryImport.run(file, in: db) { progress?.advance() }
                }
            }
        }
        progress?.finish()
        report.imports.append(DemoReport.Import(result))
        report.add(label.lowercased(), duration)
        let skipped = result.skipped == 0 ? "" : ", \(HumanReadable.count(result.skipped)) not installed"
        let removed = result.removed == 0 ? "" : ", \(HumanReadable.count(result.removed)) removed"
        story.step(
            label,
            """
            \(HumanReadable.count(result.inserted)) inserted, \(HumanReadable.count(result.updated)) \
            updated\(removed)\(skipped); \(HumanReadable.count(result.dependencies)) dependencies
            """,
            duration
        )
    }

    /// Four tasks read while one writes; each sees a complete state, never half of the writer's, who deletes and stores
    /// again every dependency.
    private func readBesideWriter(_ file: ControlFile, _ store: Store, _ report: inout DemoReport) async throws {
        let expected = try await store.read { db in try Self.counts(in: db) }
        let isWriting = Locked(true)
        let progress = story.progress("Read", total: file.paragraphCount)
        let (reads, duration) = try await timed {
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    defer { isWriting.withLock { $0 = false } }
                    try await importing {
                        try await store.write { db in
                            _ = try InventoryImport.run(file, in: db) { progress?.advance() }
                        }
                    }
                    return 0
                }
                for _ in 0..<Self.readers {
                    group.addTask { try await readUntilWritten(store, expected) { isWriting.withLock { $0 } } }
                }
                return try await group.reduce(0, +)
            }
        }
        progress?.finish()
        report.readsBesideWriter = reads
        report.add("read", duration)
        story.step(
            "Read",
            """
            \(Self.readers) tasks made \(HumanReadable.count(reads)) reads concurrently with the writer, each in one \
            snapshot
            """,
            duration
        )
    }

    private func readUntilWritten(
        _ store: Store, _ expected: [Int], _ isWriting: @Sendable () -> Bool
    ) async throws -> Int {
        var reads = 0
        repeat {
            let counts = try await store.read { db in try Self.counts(in: db) }
            guard counts == expected else {
                throw CommandFailure(
                    "halfState", "A reader saw \(counts) packages and dependencies in place of \(expected).", .software)
            }
            reads += 1
        } while isWriting()
        return reads
    }

    private static func counts(in db: borrowing ReadTransaction) throws -> [Int] {
        [try InstalledPackage.count(in: db), try Dependency.count(in: db)]
    }

    private func count(_ store: Store, _ report: inout DemoReport) async throws {
        report.packages = try await store.table(InstalledPackage.self).count()
        report.dependencies = try await store.table(Dependency.self).count()
    }

    private func search(_ store: Store, _ report: inout DemoReport) async throws {
        let (word, top) = (word, top)
        let query = SearchQuery.typing(word)
        let ((found, foundCount, biggest), duration) = try await timed {
            try await store.read { db in
                (
                    try InstalledPackage.hits(query, limit: top, in: db).map(\.record),
                    try InstalledPackage.search(query).count(in: db),
                    try InstalledPackage.order { $0.installedSize.descending }.limit(top).fetch(in: db)
                )
            }
        }
        report.found = found.map(DemoReport.Package.init)
        report.foundCount = foundCount
        report.biggest = biggest.map(DemoReport.Package.init)
        report.add("search", duration)
        story.step(
            "Search",
            "\(HumanReadable.count(foundCount)) packages match \"\(word)\" in their descriptions",
            duration)
    }

    private func lookForPlaintext(_ path: String, _ file: ControlFile, _ report: inout DemoReport) throws {
        let start = ContinuousClock.now
        let search = try PlaintextSearch(control: file)
        let result = try search.run(path)
        report.fileBytes = result.bytes
        report.phrasesTried = search.phrases.count
        report.plaintextFound = result.found
        let duration = ContinuousClock.now - start
        report.add("plaintext", duration)
        story.step(
            "Secrecy",
            """
            \(HumanReadable.bytes(result.bytes)) on disk hold \
            \(result.found.isEmpty ? "none" : "\(result.found.count)") of \(search.phrases.count) phrases of the input
            """,
            duration
        )
    }

    private func show(_ report: DemoReport) {
        story.heading("The biggest packages")
        story.table(report.biggest)
        if !report.found.isEmpty {
            let count = HumanReadable.count(report.foundCount)
            story.heading("Packages for \"\(word)\", the best \(report.found.count) of \(count)")
            story.table(report.found, highlighting: .typing(word))
        }
        story.blank()
        story.fact("File", "\(report.path), \(HumanReadable.bytes(report.fileBytes))")
        story.fact("Keys", report.keyFile)
    }

    private func timed<T>(_ body: () async throws -> T) async throws -> (T, Duration) {
        let start = ContinuousClock.now
        let result = try await body()
        return (result, ContinuousClock.now - start)
    }

    /// Names the input in what is wrong with it.
    private func importing<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as ControlFileError {
            throw CommandFailure(controlFile: error, path: input)
        }
    }
}

extension DemoReport {
    fileprivate mutating func add(_ name: String, _ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        steps.append(Step(name: name, milliseconds: Double(seconds) * 1_000 + Double(attoseconds) / 1e15))
    }
}

extension CommandFailure {
    fileprivate init(controlFile error: ControlFileError, path: String) {
        let status: ExitStatus =
            switch error.code {
            case .fileMissing, .isDirectory, .notRegularFile, .notReadable: .noInput
            default: .dataError
            }
        self.init("\(error.code)", "\"\(path)\": \(error)", status)
    }
}

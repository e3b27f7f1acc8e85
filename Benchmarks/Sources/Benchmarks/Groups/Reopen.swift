import Foundation
import Strongroom
import TestData

extension Group {
    /// What a service does for a request to a file that is not open. C keys its connection with the raw key, also where
    /// the file has an envelope.
    static let reopen = Group("reopen", "1,000 files of 200 rows opened, used once, and closed, one after the other") {
        workplace in
        let raw = try await ReopenedFiles(in: workplace.directory, protection: .direct)
        let wrapped = try await ReopenedFiles(in: workplace.directory, protection: .envelope)
        // Files of their own: each side finds what it has left beside them.
        let deleting = try await ReopenedFiles(in: workplace.directory, protection: .direct)
        let keeping = try await ReopenedFiles(in: workplace.directory, protection: .direct)
        return [ReopenedFiles.Use.read, .write].flatMap { use in
            [
                Measure(
                    name: "reopen, a raw key, a \(use)", unit: .rate(ReopenedFiles.count, "files"),
                    ours: { try await raw.lend(use) },
                    rival: .init(name: "C", target: 1 / 1.3) { try deleting.openRivals(use, keepsLog: false) }),
                Measure(
                    name: "reopen, an envelope, a \(use)", unit: .rate(ReopenedFiles.count, "files"),
                    ours: { try await wrapped.lend(use) },
                    rival: .init(name: "C, its log kept", target: nil) { try keeping.openRivals(use, keepsLog: true) }
                ),
                Measure(
                    name: "reopen, closed by the program, a \(use)", unit: .rate(ReopenedFiles.count, "files"),
                    ours: { try await deleting.open(use) },
                    rival: .init(name: "C", target: nil) { try deleting.openRivals(use, keepsLog: false) }
                ),
            ]
        }
    }
}

/// Small files that are opened again and again.
private struct ReopenedFiles {
    enum Use {
        case read, write
    }

    static let count = 1_000
    private static let rowCount = 200

    private let stores: Stores
    private let directory: URL
    private let row = Entry(TestData.rows(count: 1)[0])
    private let rivalRow: RivalEntries

    /// Makes the files.
    init(in place: URL, protection: KeyProtection) async throws {
        directory = place.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        stores = try Stores(Tenants(directory: directory, protection: protection))
        // As for every service: some stores are open, and one of these is closed for each that is opened.
        stores.lendingLimits.openStores = 8
        rivalRow = try RivalEntries(TestData.rows(count: 1))
        let rows = TestData.rows(count: Self.rowCount).map(Entry.init)
        for number in 0..<Self.count {
            let store = try await stores.open(ServiceLoad.name(number))
            try await store.write { db in _ = try Entry.insert(contentsOf: rows, in: db) }
            try await store.close()
        }
    }

    /// The registry closes them.
    func lend(_ use: Use) async throws -> Duration {
        try await ContinuousClock().measure {
            for number in 0..<Self.count {
                try await stores.withStore(ServiceLoad.name(number)) { try await run(use, in: $0) }
            }
        }
    }

    /// The program closes them.
    func open(_ use: Use) async throws -> Duration {
        try await ContinuousClock().measure {
            for number in 0..<Self.count {
                let store = try await stores.open(ServiceLoad.name(number))
                try await run(use, in: store)
                try await store.close()
            }
        }
    }

    private func run(_ use: Use, in store: Store) async throws {
        switch use {
        case .read: _ = try await store.read { db in try Entry.find(100, in: db) }
        case .write: try await store.write { [row] db in _ = try Entry.insert(row, in: db) }
        }
    }

    func openRivals(_ use: Use, keepsLog: Bool) throws -> Duration {
        try ContinuousClock().measure {
            for number in 0..<Self.count {
                let path = directory.appending(path: ServiceLoad.name(number)).path(percentEncoded: false)
                let rival = try Rival(path, passphrase: TestData.rawKeyText)
                switch use {
                case .read: _ = try rival.find([100])
                case .write: try rival.insertEach(rivalRow)
                }
                if keepsLog { try rival.keepLog() }
                rival.close()
            }
        }
    }
}

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
        func measure(_ name: String, _ files: ReopenedFiles, _ use: ReopenedFiles.Use) -> Measure {
            Measure(
                name: "reopen, \(name)", unit: .rate(ReopenedFiles.count, "files"),
                ours: { try await files.open(use) },
                rival: Measure.Side(name: "C, a raw key", target: 1 / 1.3) { try raw.openRivals(use) }
            )
        }
        return [
            measure("a raw key, a read", raw, .read), measure("a raw key, a write", raw, .write),
            measure("an envelope, a read", wrapped, .read), measure("an envelope, a write", wrapped, .write),
        ]
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
        rivalRow = try RivalEntries(TestData.rows(count: 1))
        let rows = TestData.rows(count: Self.rowCount).map(Entry.init)
        for number in 0..<Self.count {
            let store = try await stores.open(ServiceLoad.name(number))
            try await store.write { db in _ = try Entry.insert(contentsOf: rows, in: db) }
            try await store.close()
        }
    }

    func open(_ use: Use) async throws -> Duration {
        try await ContinuousClock().measure {
            for number in 0..<Self.count {
                let store = try await stores.open(ServiceLoad.name(number))
                switch use {
                case .read: _ = try await store.read { db in try Entry.find(100, in: db) }
                case .write: try await store.write { [row] db in _ = try Entry.insert(row, in: db) }
                }
                try await store.close()
            }
        }
    }

    func openRivals(_ use: Use) throws -> Duration {
        try ContinuousClock().measure {
            for number in 0..<Self.count {
                let path = directory.appending(path: ServiceLoad.name(number)).path(percentEncoded: false)
                let rival = try Rival(path, passphrase: TestData.rawKeyText)
                switch use {
                case .read: _ = try rival.find([100])
                case .write: try rival.insertEach(rivalRow)
                }
                rival.close()
            }
        }
    }
}

import Foundation
import Strongroom
import TestData

/// Makes the databases of a family, writes a row into each and closes them, 50 open at one time, and so does C in turn.
struct FamilyRound {
    static let openAtOneTime = 50

    /// The time of each batch of 50.
    private(set) var ours: [Duration] = []
    private(set) var theirs: [Duration] = []
    /// What is there after the last tenth and was not after the first.
    private(set) var leaks: [Gauge] = []

    private let stores: Stores
    private let directory: URL
    private let entry: Entry
    private let rivalEntry: RivalEntries
    private let expected: Summary
    private let batches: Int

    init(_ workplace: Workplace) async throws {
        directory = workplace.directory.appending(path: "family")
        stores = try Stores(Tenants(directory: directory))
        let samples = TestData.rows(count: 1)
        entry = Entry(samples[0])
        rivalEntry = try RivalEntries(samples)
        expected = Summary(samples)
        batches = workplace.familySize / Self.openAtOneTime
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try await run()
    }

    var firstTenth: Range<Int> { 0..<(batches / 10) }
    var lastTenth: Range<Int> { (batches - batches / 10)..<batches }

    private mutating func run() async throws {
        var early: ProcessStatus?
        for batch in 0..<batches {
            if batch == firstTenth.upperBound { early = try await Self.restingStatus() }
            let numbers = (batch * Self.openAtOneTime)..<((batch + 1) * Self.openAtOneTime)
            try await ours.append(openOurs(numbers))
            try theirs.append(openTheirs(numbers))
            try check(numbers.lowerBound)
        }
        if let early, let late = try await Self.restingStatus() { leaks = Self.leaks(early, late) }
    }

    private func openOurs(_ numbers: Range<Int>) async throws -> Duration {
        try await ContinuousClock().measure {
            var open: [Store] = []
            for number in numbers {
                let store = try await stores.open(ServiceLoad.name(number))
                try await store.write { [entry] db in _ = try Entry.insert(entry, in: db) }
                open.append(store)
            }
            for store in open { try await store.close() }
        }
    }

    private func openTheirs(_ numbers: Range<Int>) throws -> Duration {
        try ContinuousClock().measure {
            var open: [Rival] = []
            for number in numbers {
                let rival = try Rival(making: path("c_\(number).sqlite"), rawKey: TestData.rawKeyText)
                try rival.insertEach(rivalEntry)
                open.append(rival)
            }
            for rival in open { rival.close() }
        }
    }

    /// Shows that a database of each side has its row, with the other's key.
    private func check(_ number: Int) throws {
        for name in [ServiceLoad.name(number), "c_\(number).sqlite"] {
            try Rival(path(name), passphrase: TestData.rawKeyText).summary(of: Entry.self).check(expected)
        }
    }

    private func path(_ name: String) -> String { directory.appending(path: name).path(percentEncoded: false) }

    /// What the process holds when the threads have ended that wait for more work, at most five seconds long; nil where
    /// nobody tells.
    private static func restingStatus() async throws -> ProcessStatus? {
        guard ProcessStatus.isAvailable else { return nil }
        try await Task.sleep(for: .seconds(6))
        return try ProcessStatus.current()
    }

    private static func leaks(_ early: ProcessStatus, _ late: ProcessStatus) -> [Gauge] {
        func gauge(_ name: String, _ unit: String, _ amount: Double, limit: Double) -> Gauge {
            Gauge(name: "family-open, \(name) left", unit: unit, amount: amount, limit: limit)
        }
        var gauges = [
            gauge("descriptors", "files", Double(late.descriptors - early.descriptors), limit: 0),
            gauge("threads", "threads", Double(late.threads - early.threads), limit: 0),
            // The allocator keeps an arena for each of several threads, and gives not everything back that is free in
            // them: what comes and goes differs by 15 MB.
            gauge("resident memory", "MB", Double(late.memory - early.memory) / 1e6, limit: 32),
        ]
        if let early = early.allocated, let late = late.allocated {
            // 100 bytes a database.
            gauges.append(gauge("allocated memory", "MB", Double(late - early) / 1e6, limit: 1))
        }
        return gauges
    }
}

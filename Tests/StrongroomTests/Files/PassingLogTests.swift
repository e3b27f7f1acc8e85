import Foundation
import StrongroomTesting
import Synchronization
import Testing

@testable import Strongroom

/// Another process closes the file while this one looks at what lies beside it.
@Suite struct PassingLogTests {
    private static let wal: [UInt8] = [0x37, 0x7F, 0x06, 0x82, 0, 0, 0, 0, 0, 0, 0x10, 0]
    private static let spentJournal = [UInt8](repeating: 0, count: 28)

    /// Looks at a file's log many times, while somebody else makes and removes it.
    private func look(
        at ending: String, _ content: [UInt8], _ look: (DatabaseFile) throws -> Void
    ) throws {
        let directory = try TemporaryDirectory()
        let file = DatabaseFile(path: directory.path("vault.sqlite"), name: "vault.sqlite", busyTimeout: 0, log: nil)
        let other = Other(log: file.path + ending, content)
        other.start()
        defer { other.end() }
        while other.rounds < 50 { try look(file) }
    }

    @Test func aLogThatComesAndGoesIsNoFailure() throws {
        try look(at: "-wal", Self.wal) { file in
            let size = try file.logPageSize()
            #expect(size == nil || size == 4_096)
        }
    }

    @Test func aSpentJournalThatAnotherProcessRemovesIsNoFailure() throws {
        try look(at: "-journal", Self.spentJournal) { file in try file.removeSpentJournal() }
    }
}

/// Makes and removes a log as long as nobody ends it.
private final class Other: Sendable {
    private let log: String
    private let content: [UInt8]
    private let done = Atomic(0)
    private let isWanted = Atomic(true)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(log: String, _ content: [UInt8]) {
        self.log = log
        self.content = content
    }

    var rounds: Int { done.load(ordering: .relaxed) }

    func start() {
        Thread.detachNewThread { [self] in
            while isWanted.load(ordering: .relaxed) {
                for _ in 0..<20 {
                    _ = FileManager.default.createFile(atPath: log, contents: Data(content))
                    unlink(log)
                }
                done.add(1, ordering: .relaxed)
            }
            hasEnded.signal()
        }
    }

    func end() {
        isWanted.store(false, ordering: .relaxed)
        hasEnded.wait()
    }
}

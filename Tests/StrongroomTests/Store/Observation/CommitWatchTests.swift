import Testing

// Internal: the watch, without an engine.
@testable import Strongroom

@Suite("The watch of a connection's commits")
struct CommitWatchTests {
    private final class Recorder: CommitRecorder {
        var events: [String] = []

        func prepare(_ tables: Set<String>) { events.append("prepare \(tables.sorted())") }

        func record(_ tables: Set<String>, after position: LogPosition, to newPosition: LogPosition) {
            events.append("record \(tables.sorted())")
        }
    }

    /// The engine's code for a lock that another connection holds.
    private static let busy: Int32 = 5

    private let recorder = Recorder()
    private let watch: CommitWatch

    init() {
        watch = CommitWatch(recorder)
    }

    /// The header of the WAL index, and its copy.
    private func withIndex(_ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        try withUnsafeTemporaryAllocation(byteCount: 2 * LogPosition.headerLength, alignment: 8) { index in
            index.initializeMemory(as: UInt8.self, repeating: 0)
            try body(index)
        }
    }

    /// Changes the copy, as a connection does that publishes a change.
    private func publish(_ index: UnsafeMutableRawBufferPointer) throws {
        index[LogPosition.headerLength + 8] += 1
        let start = try #require(UnsafeRawPointer(index.baseAddress))
        if watch.expectsToPublish { watch.willPublish(start) }
    }

    private func lock(_ slots: Range<Int32>, _ isLocking: Bool, result: Int32 = 0) {
        #expect(watch.lockIndex(.exclusive(slots, isLocking: isLocking)) { _ in result } == result)
    }

    @Test func aCommitIsRecordedUntilTheWriteLockIsReleased() throws {
        try withIndex { index in
            let start = try #require(UnsafeRawPointer(index.baseAddress))
            watch.beginCommit(of: ["a"], start)
            try publish(index)
            #expect(recorder.events == [#"prepare ["a"]"#, #"record ["a"]"#])
            // What another connection publishes from then on is not this commit's.
            lock(IndexLock.write, false)
            try publish(index)
            watch.endCommit()
            #expect(recorder.events.count == 2)
        }
    }

    @Test func aRestartIsPreparedBeforeItsLock() throws {
        try withIndex { index in
            lock(IndexLock.walReaders, true, result: Self.busy)
            try publish(index)
            #expect(recorder.events == ["prepare []"])
            lock(IndexLock.walReaders, true)
            try publish(index)
            lock(IndexLock.walReaders, false)
            try publish(index)
            #expect(recorder.events == ["prepare []", "prepare []", "record []"])
        }
    }

    @Test func aCommitOfUnknownTablesIsNotPrepared() throws {
        try withIndex { index in
            watch.beginCommit(of: nil, try #require(UnsafeRawPointer(index.baseAddress)))
            try publish(index)
            #expect(recorder.events.isEmpty)
        }
    }
}

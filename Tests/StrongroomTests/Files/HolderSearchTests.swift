import StrongroomTesting
import Synchronization
import Testing

@testable import Strongroom

/// Searches that are asked for at the same time are one.
@Suite("Searches for open files", .ending)
struct HolderSearchTests {
    private static let files = (0..<3).map { FileStatus.Identity(device: 1, node: UInt64($0)) }

    /// Whoever asks while a search is in progress is not answered by it: it may have passed a process already that
    /// opened the file meanwhile.
    @Test(arguments: [false, true]) func thoseThatWaitShareTheNextSearch(fails: Bool) async throws {
        struct Failure: Error {}
        let (hasBegun, canEnd, count) = (Moment(), Moment(), Locked(0))
        let search = HolderSearch { identities in
            let number = count.withLock {
                $0 += 1; return $0
            }
            if number == 1 {
                hasBegun.come()
                try canEnd.block()
                #expect(identities == [Self.files[0]])
            } else if fails {
                throw Failure()
            }
            return Dictionary(uniqueKeysWithValues: identities.map { ($0, [number, Int($0.node)]) })
        }
        let first = Task { try await onThread { try search.holders(of: Self.files[0]) } }
        try await hasBegun.wait()
        let others = (0..<6).map { index in
            Task { try await onThread { try search.holders(of: Self.files[index % 2 + 1]) } }
        }
        try await eventually { search.waitingCount == others.count }
        canEnd.come()
        #expect(try await first.value == [1, 0])
        var sharing = 0
        for (index, other) in others.enumerated() {
            guard !fails else {
                await #expect(throws: Failure.self) { try await other.value }
                continue
            }
            let found = try await other.value
            #expect(found.last == index % 2 + 1)
            if found.first == 2 { sharing += 1 }
        }
        #expect(fails || sharing == others.count)
        #expect(search.waitingCount == 0)
        // Afterwards each has a search of its own.
        let before = count.withLock { $0 }
        if !fails { #expect(try search.holders(of: Self.files[2]) == [before + 1, 2]) }
    }

    @Test func manyThreadsAreAllAnswered() async throws {
        let count = Atomic(0)
        let search = HolderSearch { identities in
            count.add(1, ordering: .relaxed)
            return Dictionary(uniqueKeysWithValues: identities.map { ($0, [Int($0.node)]) })
        }
        try await withThrowingTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    try await onThread {
                        for round in 0..<500 {
                            let file = (thread + round) % 3
                            let found = try search.holders(of: Self.files[file])
                            #expect(found == [file])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(count.load(ordering: .relaxed) <= 2_000 && search.waitingCount == 0)
    }
}

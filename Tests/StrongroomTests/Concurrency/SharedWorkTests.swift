import Foundation
import Testing

@testable import Strongroom

@Suite("Work shared by threads")
struct SharedWorkTests {
    private struct Failure: Error {}

    @Test func allPiecesAreDoneBeforeItReturns() throws {
        let done = Locked<Set<Int>>([])
        try SharedWork.run("test.pieces", (0..<20).map { number in { _ in done.withLock { _ = $0.insert(number) } } })
        #expect(done.withLock { $0 } == Set(0..<20))
    }

    /// The other piece is told, and its own error, which comes later, is not the one that is thrown.
    @Test func theFirstErrorIsThrownAndEndsTheOtherPiece() async throws {
        _ = try await onThread {
            #expect(throws: Failure.self) {
                try SharedWork.run(
                    "test.pieces",
                    [
                        { hasFailed in
                            let deadline = ContinuousClock.now + .seconds(Patience.seconds)
                            while !hasFailed() {
                                // With one thread the other piece has not begun.
                                guard ProcessInfo.processInfo.activeProcessorCount > 1 else { throw Failure() }
                                guard ContinuousClock.now < deadline else { return }
                                usleep(1_000)
                            }
                            throw CancellationError()
                        },
                        { _ in throw Failure() },
                    ])
            }
        }
    }

    @Test func noPieceBeginsAfterAnError() throws {
        let begun = Locked(0)
        let pieces: [SharedWork.Piece] = (0..<1_000).map { _ in
            { _ in
                begun.withLock { $0 += 1 }
                throw Failure()
            }
        }
        #expect(throws: Failure.self) { try SharedWork.run("test.pieces", pieces) }
        #expect(begun.withLock { $0 } <= 2)
    }
}

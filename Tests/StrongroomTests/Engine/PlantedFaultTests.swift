import Dispatch
import Foundation
import Strongroom
import Testing

/// What shows that a run of the tests would notice.
struct PlantedFaultTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test(
        "the engine is the one that the run is meant for",
        .enabled(if: environment["STRONGROOM_EXPECTED_CIPHER"] != nil, "the variable names the version"))
    func theEngineIsTheExpectedOne() throws {
        let expected = try #require(Self.environment["STRONGROOM_EXPECTED_CIPHER"])
        let version = try EngineFeatures.current().cipherVersion
        #expect(version.hasPrefix("\(expected)."))
    }

    private final class Unguarded: @unchecked Sendable {
        var count = 0
    }

    @Test(
        "two threads change one variable, which the thread sanitizer must tell",
        .enabled(if: environment["STRONGROOM_PLANT_RACE"] != nil, "it is a fault that .ci/run plants"))
    func aRace() {
        let unguarded = Unguarded()
        let (isThere, canGo, isDone) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        // Two threads at least: tasks may run one after the other on one thread, where there is no race.
        for _ in 0..<2 {
            Thread.detachNewThread {
                isThere.signal()
                canGo.wait()
                for _ in 0..<10_000 { unguarded.count += 1 }
                isDone.signal()
            }
        }
        for _ in 0..<2 { isThere.wait() }
        for _ in 0..<2 { canGo.signal() }
        for _ in 0..<2 { isDone.wait() }
        #expect(unguarded.count > 0)
    }
}

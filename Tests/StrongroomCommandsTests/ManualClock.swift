import Strongroom

/// A clock that only the test moves. It does not begin at zero, as real ones do not.
final class ManualClock: Sendable {
    private let elapsed = Locked(Duration.seconds(3600))

    var now: Duration {
        elapsed.withLock { $0 }
    }

    func advance(by duration: Duration) {
        elapsed.withLock { $0 += duration }
    }
}

import Foundation
import Testing

/// How long a test waits for what should happen at once.
///
/// A deadlock is a red test within a minute where somebody looks at it. In CI, and under the thread sanitizer, a busy
/// machine must not look like a deadlock.
enum Patience {
    private static let isLong =
        ProcessInfo.processInfo.environment["CI"] != nil || dlsym(nil, "__tsan_init") != nil

    /// For one wait.
    static let seconds = isLong ? 1_800 : 60
    /// For a whole test.
    fileprivate static let minutes = isLong ? 60 : 5
}

extension Trait where Self == TimeLimitTrait {
    /// For tests that prove something by coming to an end.
    static var ending: Self { .timeLimit(.minutes(Patience.minutes)) }
}

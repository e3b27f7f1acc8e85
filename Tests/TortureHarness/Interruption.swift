import Foundation

/// The first SIGINT or SIGTERM ends the run after the round that is under way; the second ends the process.
enum Interruption {
    nonisolated(unsafe) private static var signal: sig_atomic_t = 0

    /// The exit code of a process that a signal ended; nil while there was none.
    static var exitCode: Int32? { signal == 0 ? nil : 128 + Int32(signal) }

    static func heed() {
        for number in [SIGINT, SIGTERM] {
            Foundation.signal(number) { number in
                Interruption.signal = sig_atomic_t(number)
                Foundation.signal(number, SIG_DFL)
            }
        }
    }
}

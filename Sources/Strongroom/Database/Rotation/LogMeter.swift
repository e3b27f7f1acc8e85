import Dispatch
import Foundation

/// Tells how far a rewriting in place has come, which the engine does not: by the length of the log.
struct LogMeter {
    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - path: The log.
    ///   - size: The size of the file, which the log reaches in the end.
    ///   - watcher: Who is told.
    init(path: String, size: Int64, watcher: RotationWatcher) {
        timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + .milliseconds(200), repeating: .milliseconds(200))
        timer.setEventHandler {
            // Nobody is harmed when it cannot be told.
            let length = (try? FileStatus.at(path)?.size) ?? 0
            watcher.progress(RotationProgress(phase: .writing, done: min(length, size), total: size))
        }
        timer.resume()
    }

    func stop() {
        timer.cancel()
    }
}

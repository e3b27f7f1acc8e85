import Dispatch
import Foundation

/// Tells how far a rewriting in place has come, which the engine does not: by the length of the log.
struct LogMeter {
    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - path: The log.
    ///   - size: The size of the file, which the log reaches in the end.
    ///   - monitor: Who is told.
    init(path: String, size: Int64, monitor: WorkMonitor) {
        timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + .milliseconds(200), repeating: .milliseconds(200))
        timer.setEventHandler {
            // Nobody is harmed when it cannot be told.
            let length = (try? FileStatus.at(path)?.size) ?? 0
            monitor.progress(WorkProgress(.writing, min(length, size), of: size, .bytes))
        }
        timer.resume()
    }

    func stop() {
        timer.cancel()
    }
}

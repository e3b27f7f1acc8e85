import Dispatch
import Foundation

/// Reports the progress of a rewrite in place by the length of the WAL, because the engine reports none.
struct LogMeter {
    private let queue = DispatchQueue(label: "strongroom.log-meter")
    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - path: The path of the WAL.
    ///   - size: The size of the file, which the WAL reaches in the end.
    ///   - monitor: The monitor to report to.
    init(path: String, size: Int64, monitor: WorkMonitor) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .milliseconds(200), repeating: .milliseconds(200))
        timer.setEventHandler {
            // Progress is optional.
            let length = (try? FileStatus.at(path)?.size) ?? 0
            monitor.progress(WorkProgress(.writing, min(length, size), of: size, .bytes))
        }
        timer.resume()
    }

    /// Returns when no further report follows.
    func stop() {
        timer.cancel()
        queue.sync {}
    }
}

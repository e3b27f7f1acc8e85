import Dispatch
import Strongroom

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Detects that the process no longer makes progress: every thread waits, not for a processor or a disk, and almost no
/// processor time is used.
final class Standstill: Sendable {
    private let queue = DispatchQueue(label: "strongroom.standstill")
    private let state = Locked(State())
    private let act: @Sendable () -> Void

    private enum Phase: Equatable { case waiting, running, ended }

    private struct State {
        var phase = Phase.waiting
        var quiet = 0
        var processorTime = 0.0
    }

    /// Seconds between two checks.
    private static let pause = 0.25
    /// The number of consecutive checks without progress.
    private static let patience = 12
    /// Seconds of processor time between two checks that do not count as progress: timers that draw a bar, and the
    /// check itself.
    private static let idleTime = 0.01

    /// - Parameter act: Called after about three seconds without progress.
    init(_ act: @escaping @Sendable () -> Void) {
        self.act = act
    }

    /// Starts checking.
    func start() {
        let isFirst = state.withLock { state in
            guard state.phase == .waiting else { return false }
            (state.phase, state.processorTime) = (.running, Self.processorTime())
            return true
        }
        if isFirst { checkLater() }
    }

    /// Stops checking.
    func stop() {
        state.withLock { $0.phase = .ended }
    }

    private func checkLater() {
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.check() }
    }

    private func check() {
        let (isAsleep, time) = (Self.areOtherThreadsAsleep(), Self.processorTime())
        let (continues, isReached) = state.withLock { state in
            guard state.phase == .running else { return (false, false) }
            let isQuiet = isAsleep && time - state.processorTime < Self.idleTime
            state.processorTime = time
            state.quiet = isQuiet ? state.quiet + 1 : 0
            return (state.quiet < Self.patience, state.quiet == Self.patience)
        }
        if isReached { act() }
        if continues { checkLater() }
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Whether every other thread waits for an event; true if the system does not report it. See proc(5),
    /// `/proc/pid/stat`.
    private static func areOtherThreadsAsleep() -> Bool {
        #if os(Linux)
        let files = FileManager.default
        let own = (try? files.destinationOfSymbolicLink(atPath: "/proc/thread-self")).map(FilePath.name)
        let tasks = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.filter { $0 != own }.allSatisfy { task in
            // A thread that has ended makes no progress.
            guard let status = files.contents(atPath: "/proc/self/task/\(task)/stat") else { return true }
            // After the name, which is in parentheses and may contain any character.
            return status.lastIndex(of: UInt8(ascii: ")")).map { status[($0 + 1)...].dropFirst().first }
                == UInt8(ascii: "S")
        }
        #else
        return true
        #endif
    }
}

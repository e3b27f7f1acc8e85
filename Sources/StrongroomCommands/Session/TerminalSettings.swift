#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The settings of a terminal while a line is read from it; they are restored afterwards, also when a signal ends the
/// process.
enum TerminalSettings {
    /// Runs work with other settings.
    ///
    /// - Parameters:
    ///   - terminal: Its descriptor.
    ///   - action: When they take effect, as for `tcsetattr`.
    ///   - change: Changes them.
    ///   - body: The work.
    /// - Returns: The result of the work; nil if the descriptor is not a terminal.
    static func changing<T>(
        _ terminal: Int32, _ action: Int32, _ change: (inout termios) -> Void, _ body: () throws -> T
    ) rethrows -> T? {
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return nil }
        var changed = before
        change(&changed)
        // First: the handler of a signal between the two calls finds the settings to restore.
        kept.pointee = Kept(terminal: terminal, settings: before)
        let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map { ($0, SignalAction.set($0, putBack)) }
        defer {
            for (number, action) in signals { signal(number, action) }
        }
        guard tcsetattr(terminal, action, &changed) == 0 else { return nil }
        defer { tcsetattr(terminal, action, &before) }
        return try body()
    }

    private struct Kept {
        var terminal: Int32
        var settings: termios
    }

    // In a separate allocation, since a signal may arrive at any time. A process reads one line at a time.
    nonisolated(unsafe) private static let kept: UnsafeMutablePointer<Kept> = {  // guarded: set before the handler is
        let kept = UnsafeMutablePointer<Kept>.allocate(capacity: 1)
        kept.initialize(to: Kept(terminal: -1, settings: termios()))
        return kept
    }()

    /// Ends the process with the signal, after restoring the terminal. Calls only async-signal-safe functions
    /// (signal-safety(7)).
    private static let putBack: @convention(c) (Int32) -> Void = { number in
        tcsetattr(kept.pointee.terminal, TCSANOW, &kept.pointee.settings)
        signal(number, SIG_DFL)
        raise(number)
    }
}

/// The action of a process for a signal.
enum SignalAction {
    typealias Handler = @convention(c) (Int32) -> Void

    /// Sets the action, unless the signal is ignored.
    ///
    /// - Returns: The previous action.
    static func set(_ number: Int32, _ handler: @escaping Handler) -> Handler? {
        let before = signal(number, handler)
        if isIgnoring(before) { signal(number, SIG_IGN) }
        return before
    }

    #if os(Linux)
    /// The action for a signal.
    static func current(_ number: Int32) -> Handler? {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if canImport(Musl)
        return action.__sa_handler.sa_handler
        #elseif canImport(Glibc)
        return action.__sigaction_handler.sa_handler
        #endif
    }
    #endif

    /// Whether an action ignores the signal.
    static func isIgnoring(_ action: Handler?) -> Bool {
        unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN as Handler?, to: Int.self)
    }
}

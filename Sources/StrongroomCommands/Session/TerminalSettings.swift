#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// How a terminal behaves while a line is read from it, and as it was before once it is read: also when a signal ends
/// the process meanwhile.
enum TerminalSettings {
    /// Works with other settings.
    ///
    /// - Parameters:
    ///   - terminal: Its descriptor.
    ///   - action: When they take effect, as `tcsetattr` has it.
    ///   - change: Changes them.
    ///   - body: Works.
    /// - Returns: What the work returns; nil for what is no terminal.
    static func changing<T>(
        _ terminal: Int32, _ action: Int32, _ change: (inout termios) -> Void, _ body: () throws -> T
    ) rethrows -> T? {
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return nil }
        var changed = before
        change(&changed)
        // First: a signal that comes between the two finds what there is to put back.
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

    // Memory of its own, since a signal may come at any moment. A process reads one line at a time.
    nonisolated(unsafe) private static let kept: UnsafeMutablePointer<Kept> = {  // guarded: set before the handler is
        let kept = UnsafeMutablePointer<Kept>.allocate(capacity: 1)
        kept.initialize(to: Kept(terminal: -1, settings: termios()))
        return kept
    }()

    /// Ends the process by the signal, with the terminal as it was. Calls only what a handler may (signal-safety(7)).
    private static let putBack: @convention(c) (Int32) -> Void = { number in
        tcsetattr(kept.pointee.terminal, TCSANOW, &kept.pointee.settings)
        signal(number, SIG_DFL)
        raise(number)
    }
}

/// What a process does when a signal comes.
enum SignalAction {
    typealias Handler = @convention(c) (Int32) -> Void

    /// Sets what is done, unless the signal is ignored.
    ///
    /// - Returns: What was done before.
    static func set(_ number: Int32, _ handler: @escaping Handler) -> Handler? {
        let before = signal(number, handler)
        if isIgnoring(before) { signal(number, SIG_IGN) }
        return before
    }

    /// Whether an action is to do nothing.
    static func isIgnoring(_ action: Handler?) -> Bool {
        unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN as Handler?, to: Int.self)
    }
}

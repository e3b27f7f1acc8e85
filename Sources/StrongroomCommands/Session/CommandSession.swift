package import Strongroom

/// The environment of a command besides its arguments: the databases, the console and the key input.
///
/// A program has one. A test sets another one for the duration of a closure, visible only to its own tasks:
///
/// ```swift
/// try await CommandSession.$current.withValue(session) { try await command.run() }
/// ```
package struct CommandSession: Sendable {
    /// The console for output.
    package var console: Console
    /// The databases to which names refer.
    package var stores: Stores
    /// The source of keys that are neither in a file nor in the environment.
    package var input: KeyInput
    /// Whether a program reads the output, including standard error.
    package var isForScripts = false
    /// The time since any fixed moment, for progress bars.
    package var uptime: @Sendable () -> Duration = ProgressBar.uptime

    package init(console: Console, stores: Stores, input: KeyInput = .process) {
        self.console = console
        self.stores = stores
        self.input = input
    }

    /// The session of the current command.
    @TaskLocal package static var current = CommandSession(console: .standard, stores: .shared)
}

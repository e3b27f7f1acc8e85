package import Strongroom

/// What a command works with besides its arguments: whose databases, where the output goes, where keys are typed.
///
/// A program has one. A test gives another for the length of a closure, and only its own tasks see it:
///
/// ```swift
/// try await CommandSession.$current.withValue(session) { try await command.run() }
/// ```
package struct CommandSession: Sendable {
    /// Where the output goes.
    package var console: Console
    /// The databases that a name means.
    package var stores: Stores
    /// Where keys come from that are neither in a file nor in the environment.
    package var input: KeyInput
    /// Whether a program reads what is told, also on standard error.
    package var isForScripts = false
    /// The time since any one moment, by which bars are drawn.
    package var uptime: @Sendable () -> Duration = ProgressBar.uptime

    package init(console: Console, stores: Stores, input: KeyInput = .process) {
        self.console = console
        self.stores = stores
        self.input = input
    }

    /// The session of the command that runs.
    @TaskLocal package static var current = CommandSession(console: .standard, stores: .shared)
}

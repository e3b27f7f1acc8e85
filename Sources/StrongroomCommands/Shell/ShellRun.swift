import Foundation
package import Strongroom

/// Runs a shell to its end.
package struct ShellRun {
    package var store: Store
    package var console: Console
    package var mayWrite: Bool
    package var keepsHistory: Bool

    package init(_ store: Store, _ console: Console, mayWrite: Bool, keepsHistory: Bool) {
        self.store = store
        self.console = console
        self.mayWrite = mayWrite
        self.keepsHistory = keepsHistory
    }

    /// Prompts for lines on a terminal, and otherwise reads them from standard input.
    package func run() async throws {
        let environment = EnvironmentVariable.values(["TERM", "NO_COLOR", "COLUMNS", "XDG_STATE_HOME", "HOME"])
        guard LineTerminal.isAvailable(environment) else { return try await runLines() }
        try await runTerminal(environment)
    }

    /// Runs a script: without a prompt, up to the first error.
    private func runLines() async throws {
        var session = ShellSession(store, console, mayWrite: mayWrite, stopsAtErrors: true)
        var input = ByteBuffer(try ByteSource.file("-"))
        try input.passByteOrderMark()
        while let (bytes, isTooLong) = try input.nextLine(limit: 1 << 24) {
            guard !isTooLong, let line = String(validating: bytes, as: UTF8.self) else {
                throw CommandFailure("usage", "A line of the input is longer than 16 MiB, or not in UTF-8.", .dataError)
            }
            guard try await session.accept(line) != .quit else { return }
        }
        try await session.finish()
    }

    private func runTerminal(_ environment: [String: String]) async throws {
        let terminal = LineTerminal()
        var session = ShellSession(store, console, mayWrite: mayWrite, stopsAtErrors: false)
        var history = ShellHistory(path: keepsHistory ? ShellHistory.defaultPath(environment) : nil)
        console.write(
            "\(store.name.fileName, .bold) \(mayWrite ? "is writable" : "is read-only"); .help lists the commands.")
        var lines: [String] = []
        var next = ShellSession.Next.statement
        while next != .quit {
            // Read again each time: a statement may have created a table. If it fails, only completion is unavailable.
            let words = (try? await store.read { db in try ShellWords(in: db) }) ?? ShellWords(tables: [:])
            let prompt = next == .more ? "       ...> " : "strongroom> "
            switch terminal.read(prompt, history: history.lines, completer: words.completions) {
            case .end:
                history.add(lines)
                next = .quit
            case .interrupted:
                session.interrupt()
                history.add(lines)
                lines = []
                next = .statement
            case .line(let line):
                lines.append(line)
                // Only the complete statement shows whether it contains a key.
                if session.isFinished(by: line) {
                    history.add(lines)
                    lines = []
                }
                // Control-C stops the statement, not the shell; other signals end the shell.
                (session, next) = try await Interruption.cancellingOne { [session] in
                    var session = session
                    let next = try await session.accept(line)
                    return (session, next)
                }
                // After an error the rest of the line is discarded.
                if next == .statement {
                    history.add(lines)
                    lines = []
                }
            }
        }
    }
}

import Strongroom

import Foundation
import Synchronization

/// The output of a command: results on standard output, progress and errors on standard error.
///
/// Lines are written completely and immediately, from any thread. A line that cannot be written is dropped and the
/// reason is recorded in ``failure(of:)``: a closed pipe does not end the process.
package final class Console: Sendable {
    /// One of the two streams.
    package enum Channel: Hashable, Sendable {
        /// Results, which a script reads.
        case output
        /// Progress, warnings and errors.
        case errors
    }

    /// The console of this process. The process ignores `SIGPIPE` once this has been used.
    package static let standard: Console = {
        let environment = EnvironmentVariable.values(["TERM", "NO_COLOR", "COLUMNS"])
        return Console(
            output: ConsoleStream(descriptor: 1, environment: environment),
            errors: ConsoleStream(descriptor: 2, environment: environment)
        )
    }()

    private let output: ConsoleStream
    private let errors: ConsoleStream
    /// Whether text for people is dropped, except for errors and warnings.
    package let isQuiet: Bool
    private let stamps = Atomic(0)
    private let screen = Locked(Screen())

    package init(output: ConsoleStream, errors: ConsoleStream, isQuiet: Bool = false) {
        self.output = output
        self.errors = errors
        self.isQuiet = isQuiet
    }

    /// A console with the same streams that drops text for people.
    func quiet() -> Console { Console(output: output, errors: errors, isQuiet: true) }

    /// The stream of a channel, to query its capabilities.
    package subscript(channel: Channel) -> ConsoleStream {
        switch channel {
        case .output: output
        case .errors: errors
        }
    }

    /// Writes one line.
    package func write(_ line: StyledText, to channel: Channel = .output) {
        guard !isQuiet || channel == .errors else { return }
        emit(self[channel].rendered(line) + "\n", to: channel)
    }

    /// Writes a table, fitted to the terminal's width if there is a terminal and in full if there is none.
    package func write(_ table: TextTable, to channel: Channel = .output) {
        let stream = self[channel]
        write(table.lines(fitting: stream.isTerminal ? stream.width : nil), to: channel)
    }

    /// Writes lines, with no other output between them.
    func write(_ lines: [StyledText], to channel: Channel = .output) {
        guard !isQuiet || channel == .errors else { return }
        let stream = self[channel]
        emit(lines.map { stream.rendered($0) + "\n" }.joined(), to: channel)
    }

    /// Writes text unchanged, for a program to read; a line end is added if there is none.
    ///
    /// Nothing is escaped. Text from a store must be in a form that escapes it, such as JSON.
    package func write(verbatim text: String, to channel: Channel = .output) {
        emit(text.isEmpty || text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n", to: channel)
    }

    /// Why a channel's text was not written completely; nil if it was.
    ///
    /// A command that writes a result ends with ``ExitStatus/inputOutput`` on ``WriteFailure/failed(errno:)``, and may
    /// stop early without complaint on ``WriteFailure/closed``.
    package func failure(of channel: Channel) -> WriteFailure? {
        screen.withLock { $0.failure(of: channel) }
    }

    /// A number that is greater than all before. Of two status lines, the one with the later stamp is displayed.
    func nextStamp() -> Int {
        stamps.add(1, ordering: .relaxed).newValue
    }

    /// Displays the status line below all others, or removes it. Only for streams that can redraw lines.
    func show(status: StyledText?, stamp: Int) {
        let text = status.map { errors.rendered($0) } ?? ""
        screen.withLock { screen in
            perform(screen.showing(status: text, stamp: stamp), &screen)
        }
    }

    private func emit(_ text: String, to channel: Channel) {
        let sharesRow = channel == .errors || output.isTerminal
        screen.withLock { screen in
            perform(screen.writing(text, to: channel, sharesRow: sharesRow), &screen)
        }
    }

    // The lock orders the writes: lines stay complete and the status line last. Only write(2) or a capture's append is
    // called while it is held.
    private func perform(_ chunks: [Screen.Chunk], _ screen: inout Screen) {
        for chunk in chunks where screen.failure(of: chunk.channel) == nil {
            screen.record(self[chunk.channel].write(chunk.text), of: chunk.channel)
        }
    }
}

import Strongroom

import Foundation
import Synchronization

/// Where a command's output goes: results to standard output, progress and errors to standard error.
///
/// Lines are written whole and at once, from whichever thread. A line that cannot be written is dropped and the
/// reason kept in ``failure(of:)``: a reader that has gone does not end the process.
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
    private let stamps = Atomic(0)
    private let screen = Locked(Screen())

    package init(output: ConsoleStream, errors: ConsoleStream) {
        self.output = output
        self.errors = errors
    }

    /// The stream of a channel, to ask what it can show.
    package subscript(channel: Channel) -> ConsoleStream {
        switch channel {
        case .output: output
        case .errors: errors
        }
    }

    /// Writes one line.
    package func write(_ line: StyledText, to channel: Channel = .output) {
        emit(self[channel].rendered(line) + "\n", to: channel)
    }

    /// Writes a table, fitted to the terminal's width if there is a terminal and in full if there is none.
    package func write(_ table: TextTable, to channel: Channel = .output) {
        let stream = self[channel]
        let lines = table.lines(fitting: stream.isTerminal ? stream.width : nil)
        emit(lines.map { stream.rendered($0) + "\n" }.joined(), to: channel)
    }

    /// Writes text as it is, for a program to read; a line end is added if there is none.
    ///
    /// Nothing is escaped. Text that came out of a store belongs here only in a form that escapes it, such as JSON.
    package func write(verbatim text: String, to channel: Channel = .output) {
        emit(text.isEmpty || text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n", to: channel)
    }

    /// Why a channel's text has not arrived in full, or nothing if it has.
    ///
    /// A command that writes a result ends with ``ExitStatus/inputOutput`` on ``WriteFailure/failed(errno:)``, and may
    /// stop early without complaint on ``WriteFailure/closed``.
    package func failure(of channel: Channel) -> WriteFailure? {
        screen.withLock { $0.failure(of: channel) }
    }

    /// A number greater than all before. Of two status lines shown, the one with the later stamp stays.
    func nextStamp() -> Int {
        stamps.add(1, ordering: .relaxed).newValue
    }

    /// Draws the line under all others, or removes it. Only for streams that redraw lines.
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

    // The lock is held here because writing is what it orders: lines stay whole and the status line last. Nothing
    // but write(2) or a capture's append happens under it.
    private func perform(_ chunks: [Screen.Chunk], _ screen: inout Screen) {
        for chunk in chunks where screen.failure(of: chunk.channel) == nil {
            screen.note(self[chunk.channel].write(chunk.text), of: chunk.channel)
        }
    }
}

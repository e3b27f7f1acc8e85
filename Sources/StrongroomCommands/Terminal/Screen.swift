/// The state of the console on the screen, which determines the next output; it does no output itself.
///
/// Threads may leave their locks in another order than they entered them; stamps identify an outdated status line.
package struct Screen: Sendable {
    /// A piece of text to be written to a stream in one call.
    package struct Chunk: Equatable, Sendable {
        package var text: String
        package var channel: Console.Channel

        package init(_ text: String, to channel: Console.Channel) {
            self.text = text
            self.channel = channel
        }
    }

    /// The status line as currently displayed.
    private var status = ""
    private var latestStamp = 0
    private var failures: [Console.Channel: WriteFailure] = [:]

    private static let eraseLine = "\r\u{1B}[K"

    package init() {}

    /// A complete line, which replaces the status line; the status line follows.
    ///
    /// - Parameter sharesRow: Whether the line appears on the screen with the status line.
    package func writing(_ text: String, to channel: Console.Channel, sharesRow: Bool) -> [Chunk] {
        if status.isEmpty || !sharesRow { return [Chunk(text, to: channel)] }
        if channel == .errors { return [Chunk(Self.eraseLine + text + status, to: .errors)] }
        return [
            Chunk(Self.eraseLine, to: .errors),
            Chunk(text, to: channel),
            Chunk(status, to: .errors),
        ]
    }

    /// Another status line, or none if the text is empty; no output if a later one has been displayed.
    package mutating func showing(status text: String, stamp: Int) -> [Chunk] {
        guard stamp > latestStamp else { return [] }
        latestStamp = stamp
        let wasShown = !status.isEmpty
        status = text
        if text.isEmpty { return wasShown ? [Chunk(Self.eraseLine, to: .errors)] : [] }
        // The rest of the row is cleared after drawing, so that the line does not flicker.
        return [Chunk("\r\(text)\u{1B}[K", to: .errors)]
    }

    package func failure(of channel: Console.Channel) -> WriteFailure? {
        failures[channel]
    }

    package mutating func record(_ failure: WriteFailure?, of channel: Console.Channel) {
        if let failure { failures[channel] = failure }
    }
}

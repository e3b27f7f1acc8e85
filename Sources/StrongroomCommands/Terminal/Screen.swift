/// What the console has on the screen, and therefore has to write next; it writes nothing itself.
///
/// Threads may come out of their locks in another order than they went in; stamps tell a late status line apart.
package struct Screen: Sendable {
    /// A piece of text that is to be written to a stream at once.
    package struct Chunk: Equatable, Sendable {
        package var text: String
        package var channel: Console.Channel

        package init(_ text: String, to channel: Console.Channel) {
            self.text = text
            self.channel = channel
        }
    }

    /// The line that is drawn again and again, as it is shown now.
    private var status = ""
    private var latestStamp = 0
    private var failures: [Console.Channel: WriteFailure] = [:]

    private static let eraseLine = "\r\u{1B}[K"

    package init() {}

    /// A whole line, which takes the status line's place; the status line follows.
    ///
    /// - Parameter sharesRow: Whether the line appears on the screen that shows the status line.
    package func writing(_ text: String, to channel: Console.Channel, sharesRow: Bool) -> [Chunk] {
        if status.isEmpty || !sharesRow { return [Chunk(text, to: channel)] }
        if channel == .errors { return [Chunk(Self.eraseLine + text + status, to: .errors)] }
        return [
            Chunk(Self.eraseLine, to: .errors),
            Chunk(text, to: channel),
            Chunk(status, to: .errors),
        ]
    }

    /// Another status line, or none if the text is empty; nothing at all if a later one has been shown.
    package mutating func showing(status text: String, stamp: Int) -> [Chunk] {
        guard stamp > latestStamp else { return [] }
        latestStamp = stamp
        let wasShown = !status.isEmpty
        status = text
        if text.isEmpty { return wasShown ? [Chunk(Self.eraseLine, to: .errors)] : [] }
        // Cleared after drawing and not before, so that the line does not flicker.
        return [Chunk("\r\(text)\u{1B}[K", to: .errors)]
    }

    package func failure(of channel: Console.Channel) -> WriteFailure? {
        failures[channel]
    }

    package mutating func note(_ failure: WriteFailure?, of channel: Console.Channel) {
        if let failure { failures[channel] = failure }
    }
}

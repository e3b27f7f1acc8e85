import Strongroom

/// Stores the output of a console, for tests.
///
/// One capture may be used for both streams; it then contains their text in the order of the writes.
package final class TextCapture: Sendable {
    private let storage = Locked("")

    package init() {}

    /// All output so far, with line ends and control sequences.
    package var text: String {
        storage.withLock { $0 }
    }

    /// The text's lines without their ends.
    package var lines: [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    func append(_ text: String) {
        storage.withLock { $0 += text }
    }
}

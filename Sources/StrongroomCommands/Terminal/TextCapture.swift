import Strongroom

/// Keeps what a console writes, for tests.
///
/// One capture may be given to both streams; it then holds their text in the order in which it was written.
package final class TextCapture: Sendable {
    private let storage = Locked("")

    package init() {}

    /// Everything written so far, with line ends and terminal sequences.
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

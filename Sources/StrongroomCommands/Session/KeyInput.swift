import Strongroom

/// Where keys come from that are neither in a file nor in the environment; both give bytes, since nobody can wipe a
/// `String`.
package struct KeyInput: Sendable {
    /// Reads standard input to its end, at most as many bytes as are given.
    package var all: @Sendable (_ most: Int) throws -> [UInt8]
    /// Asks for one line on the terminal, which does not show it; nil without a terminal.
    package var line: @Sendable (_ question: String) throws -> [UInt8]?

    package init(
        all: @escaping @Sendable (_ most: Int) throws -> [UInt8],
        line: @escaping @Sendable (_ question: String) throws -> [UInt8]?
    ) {
        self.all = all
        self.line = line
    }

    /// Standard input and the terminal of this process.
    package static let process = KeyInput(
        all: { try StandardInput.read(atMost: $0) },
        line: { try HiddenPrompt.ask($0) })
}

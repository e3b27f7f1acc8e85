import Strongroom

/// The source of keys that are neither in a file nor in the environment; returns bytes, since a `String` cannot be
/// wiped.
package struct KeyInput: Sendable {
    /// Reads standard input to its end, up to a maximum number of bytes.
    package var all: @Sendable (_ most: Int) throws -> [UInt8]
    /// Prompts for one line on the terminal without echo; nil without a terminal.
    package var line: @Sendable (_ prompt: String) throws -> [UInt8]?

    package init(
        all: @escaping @Sendable (_ most: Int) throws -> [UInt8],
        line: @escaping @Sendable (_ prompt: String) throws -> [UInt8]?
    ) {
        self.all = all
        self.line = line
    }

    /// Standard input and the terminal of this process.
    package static let process = KeyInput(
        all: { try StandardInput.read(atMost: $0) },
        line: { try HiddenPrompt.ask($0) })
}

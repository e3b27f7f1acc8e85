/// Thrown when the reader has closed the output, as with `head`: the work ends, which is not a failure.
package struct OutputClosed: Error {}

extension Console {
    /// Writes complete lines for another program to read.
    ///
    /// On a terminal, control characters are escaped, so that data cannot move the cursor or change the title: redirect
    /// the output to get it unchanged. A tab is replaced by spaces.
    ///
    /// - Throws: ``OutputClosed``, and ``CommandFailure`` if the output cannot be written.
    package func write(lines text: String) throws {
        if self[.output].isTerminal {
            // By scalars: CR LF is one character to Swift.
            let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                let text = String(line.last == "\r" ? line.dropLast() : line)
                return TerminalText.escaped(
                    text.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    "))
            }
            write(verbatim: lines.joined(separator: "\n"))
        } else {
            write(verbatim: text)
        }
        try checkOutput()
    }

    /// - Throws: ``OutputClosed``, and ``CommandFailure`` if the output could not be written.
    package func checkOutput() throws {
        switch failure(of: .output) {
        case nil: return
        case .closed: throw OutputClosed()
        case .failed: throw CommandFailure("inputOutput", "The output could not be written.", .inputOutput)
        }
    }
}

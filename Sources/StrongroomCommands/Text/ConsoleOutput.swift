/// Thrown where nobody reads the output any more, as after `head`: the work ends, and that is no failure.
package struct OutputClosed: Error {}

extension Console {
    /// Writes whole lines for another program to read.
    ///
    /// On a terminal what it would act on is spelled out, so that data cannot move the cursor or change the title:
    /// redirect the output to have it as it is. A tab is a few spaces.
    ///
    /// - Throws: ``OutputClosed``, and ``CommandFailure`` when the output cannot be written.
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

    /// - Throws: ``OutputClosed``, and ``CommandFailure`` when the output could not be written.
    package func checkOutput() throws {
        switch failure(of: .output) {
        case nil: return
        case .closed: throw OutputClosed()
        case .failed: throw CommandFailure("inputOutput", "The output could not be written.", .inputOutput)
        }
    }
}

import Foundation

/// What all rounds share.
struct Settings {
    /// The path of the `strongroom` tool.
    var tool: String
    /// The path of the engine's shell.
    var shell: String
    /// Where the rounds' directories lie.
    var directory: String
    var keepsFailures = true
    /// The engine's version as its shell tells it, such as `3.4.1`.
    var cipherVersion = ""

    /// Bytes at the end of a page that no authentication code covers.
    var uncheckedBytesOfAPage: Int { cipherVersion.hasPrefix("3.") ? 12 : 0 }

    /// Seconds after which a command that only waits for a lock has given up, on a busy machine, too.
    static let patience = 120.0

    /// Asks the engine's shell for its version, so that a wrong path is known before the first round.
    mutating func findCipherVersion() throws {
        let child = try ChildProcess(
            [shell, "-batch", "-init", "/dev/null", ":memory:", "PRAGMA cipher_version;"],
            environment: ProcessInfo.processInfo.environment, input: .nothing, prints: "\(directory)/version")
        let outcome = child.finish(limit: 30)
        let version = outcome.output.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        guard outcome.succeeded, version.first?.isNumber == true else {
            throw ChildProcess.CannotStart(description: "\(shell) is no shell of SQLCipher: \(outcome.summary)")
        }
        cipherVersion = version
    }
}

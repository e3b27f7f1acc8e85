import Strongroom

/// An error of a command, with its own message.
package struct CommandFailure: Error, Equatable {
    /// A short name for scripts.
    package let code: String
    /// What happened and what to do next.
    package let message: String
    /// The exit status of the program.
    package let status: ExitStatus

    package init(_ code: String, _ message: String, _ status: ExitStatus) {
        self.code = code
        self.message = message
        self.status = status
    }

    /// The error for a name that is neither a table nor a view.
    static func noSuchTable(_ table: String) -> CommandFailure {
        CommandFailure("noSuchTable", "There is no table or view \"\(table)\".", .usage)
    }

    /// Runs work, and reports a statement that writes where only reads are allowed.
    static func reportingReadOnly<T>(_ message: String, _ work: () async throws -> T) async throws -> T {
        do {
            return try await work()
        } catch let error as StrongroomError where error.code == .readOnly {
            throw CommandFailure("readOnly", message, .usage)
        }
    }

    /// The error for an existing file that is not replaced.
    static func exists(_ path: String) -> CommandFailure {
        CommandFailure(
            "exists", "\"\(path)\" exists. Use another name, or --force to replace it.", .cannotCreate)
    }
}

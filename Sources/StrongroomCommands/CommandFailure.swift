import Strongroom

/// A failure that a command tells in its own words.
package struct CommandFailure: Error, Equatable {
    /// A short name for scripts.
    package let code: String
    /// What happened and what to do next.
    package let message: String
    /// What the program ends with.
    package let status: ExitStatus

    package init(_ code: String, _ message: String, _ status: ExitStatus) {
        self.code = code
        self.message = message
        self.status = status
    }

    /// The failure for a name that neither a table nor a view has.
    static func noSuchTable(_ table: String) -> CommandFailure {
        CommandFailure("noSuchTable", "There is no table or view \"\(table)\".", .usage)
    }

    /// Works, and tells of a statement that would write where it may not.
    static func tellingReadOnly<T>(_ words: String, _ work: () async throws -> T) async throws -> T {
        do {
            return try await work()
        } catch let error as StrongroomError where error.code == .readOnly {
            throw CommandFailure("readOnly", words, .usage)
        }
    }

    /// The failure for a path at which something lies that is not to be replaced.
    static func exists(_ path: String) -> CommandFailure {
        CommandFailure(
            "exists", "\"\(path)\" is there already. Give another name, or --force to replace it.", .cannotCreate)
    }
}

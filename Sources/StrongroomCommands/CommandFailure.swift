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
}

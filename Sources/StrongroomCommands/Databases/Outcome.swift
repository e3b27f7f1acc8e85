/// What became of one database of several.
package struct Outcome<Detail: Encodable & Sendable>: Encodable, Sendable {
    package enum Status: String, Encodable, Sendable {
        /// Something was done.
        case done
        /// Nothing was to be done.
        case skipped
        /// It failed, or the answer is no.
        case failed
    }

    /// Why it failed.
    package struct Failure: Encodable, Sendable {
        package let code: String
        package let message: String

        package init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// The command's name.
    package let command: String
    /// The database's name.
    package let database: String
    /// Its file.
    package let path: String
    /// How it went.
    package var status: Status
    /// What was done, in a few words, for people.
    package var summary: String
    /// What was done, for scripts.
    package var detail: Detail?
    /// Why it failed; nil when it did not.
    package var error: Failure?
    /// How long it took.
    package var milliseconds: Double

    /// What the program ends with when it is the only one.
    var exitStatus = ExitStatus.success
    /// How long it took.
    var duration = Duration.zero

    private enum CodingKeys: CodingKey {
        case command, database, path, status, summary, detail, error, milliseconds
    }
}

extension Array {
    /// Throws if any database failed: of the only one what it failed with, of several how many; with the exit status
    /// of the first where those that failed are not there.
    ///
    /// - Parameter count: How many databases there were.
    func throwFailure<Detail>(of count: Int) throws where Element == Outcome<Detail> {
        let failed = filter { $0.status == .failed }
        guard let first = failed.first else { return }
        guard count > 1 else {
            throw CommandFailure(
                first.error?.code ?? "failed", first.error?.message ?? "\(first.database): \(first.summary).",
                first.exitStatus)
        }
        let names = failed.prefix(5).map(\.database).joined(separator: ", ")
        let more = failed.count > 5 ? " and \(failed.count - 5) more" : ""
        // Those that are there were all done.
        let areMissing = failed.allSatisfy {
            ["fileMissing", "noConfiguration", "invalidName"].contains($0.error?.code)
        }
        throw CommandFailure(
            "someFailed", "\(failed.count) of \(count) databases failed: \(names)\(more).",
            areMissing ? first.exitStatus : .failure)
    }
}

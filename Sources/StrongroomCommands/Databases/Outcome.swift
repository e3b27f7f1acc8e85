package import Foundation

/// The outcome for one of several databases: a line of a report.
package struct Outcome<Detail: Encodable & Sendable>: Encodable, Sendable {
    package enum Status: String, Encodable, Sendable {
        /// The work was done.
        case done
        /// There was nothing to do.
        case skipped
        /// The work failed, or the result is negative.
        case failed
    }

    /// The failure.
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
    /// Its file's path.
    package let path: String
    /// The status.
    package var status: Status
    /// A summary in a few words.
    package var summary: String
    /// The details, for JSON.
    package var detail: Detail?
    /// The failure; nil if there is none.
    package var error: Failure?
    /// When its work began and ended, in UTC.
    package let start: Date
    package let end: Date
    /// When the command was last done with it, according to the report, if it was not done now.
    package var lastDone: Date?
    /// The duration.
    package var milliseconds: Double

    /// The exit status if it is the only database.
    var exitStatus = ExitStatus.success
    /// The duration.
    var duration = Duration.zero

    /// Whether the work was interrupted: a failure that a resumed run repeats.
    var isInterrupted = false

    private enum CodingKeys: CodingKey {
        case command, database, path, status, summary, detail, error, start, end, lastDone, milliseconds
    }
}

extension Array {
    /// Throws if any database failed: for a single one its failure, for several their number; with the exit status of
    /// the failures if all have the same.
    ///
    /// - Parameter count: The number of databases.
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
        let isSame = failed.allSatisfy { $0.exitStatus == first.exitStatus }
        throw CommandFailure(
            "someFailed", "\(failed.count) of \(count) databases failed: \(names)\(more).",
            isSame ? first.exitStatus : .failure)
    }
}

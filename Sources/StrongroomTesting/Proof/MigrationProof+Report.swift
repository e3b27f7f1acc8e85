public import Foundation

extension MigrationProof {
    /// A fault in the migrations.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, and what to do.
        public let message: String
        /// The migration paths on which the fault occurred, such as `1 → 3`.
        public internal(set) var ways: [String]

        /// The message and the paths.
        public var description: String {
            let shown = ways.prefix(8).joined(separator: ", ") + (ways.count > 8 ? " and \(ways.count - 8) more" : "")
            return ways.isEmpty ? message : "\(message) [\(shown)]"
        }
    }

    /// The result of a proof.
    public struct Report: Sendable, CustomStringConvertible {
        /// The faults; empty if the migrations are proved.
        public internal(set) var faults: [Fault] = []
        /// The upgrade paths that were tested, such as `1 → 3`, each with the data of its first version. Those of an
        /// automatic schema end at `automatic`.
        public internal(set) var ups: [String] = []
        /// The downgrade paths that were tested, each followed by the upgrade.
        public internal(set) var downs: [String] = []
        /// What each step has changed in the rows that were planted at an earlier version: the columns with other
        /// values, such as `2: column "page.written"`, and the tables with other rows, such as
        /// `2: the rows of table "page"`. Such a change is no fault by itself; compare the list with what the steps are
        /// to do. Empty for an automatic migrator.
        public internal(set) var changes: [String] = []
        /// How many statements of the program's work were prepared at each version; see
        /// ``MigrationProof/statements(since:fileID:line:_:)``.
        public internal(set) var statements = 0
        /// How many times a migration was interrupted.
        public internal(set) var interruptions = 0
        /// How many times a file was migrated and rotated to a newer key in the same opening, after which the older key
        /// no longer opened it; 0 for a configuration that never rotates.
        public internal(set) var rotations = 0
        /// The names of the fixture files that were opened.
        public internal(set) var fixtures: [String] = []
        /// What migrated files of an automatic schema have and a new file has not: columns, tables and indexes that are
        /// no longer declared, which an automatic migrator keeps. Empty for a migrator with steps.
        public internal(set) var kept: [String] = []
        /// What could not be tested, and why.
        public internal(set) var leftOut: [String] = []

        /// A summary in a few lines.
        public var description: String {
            let lines = [
                "up: \(ups.joined(separator: ", "))", "down: \(downs.joined(separator: ", "))",
                "statements: \(statements)", "interruptions: \(interruptions)", "rotations: \(rotations)",
                "fixtures: \(fixtures.joined(separator: ", "))",
            ]
            let notes =
                changes.map { "changed by \($0)" } + kept.map { "kept: \($0)" } + leftOut.map { "left out: \($0)" }
            return (lines + notes + faults.map { "fault: \($0)" }).joined(separator: "\n")
        }

        mutating func add(_ message: String, on way: String?) {
            let known = faults.firstIndex { $0.message == message }
            if known == nil { faults.append(Fault(message: message, ways: [])) }
            guard let way else { return }
            let index = known ?? faults.count - 1
            if !faults[index].ways.contains(way) { faults[index].ways.append(way) }
        }
    }

    /// The faults of a proof, as the error of a test.
    public struct Failure: Error, Sendable, CustomStringConvertible, LocalizedError {
        /// The faults.
        public let faults: [Fault]
        /// The file and line of the call.
        public let location: String
        let name: String

        /// The location of the call and every fault.
        public var description: String {
            let count = faults.count == 1 ? "a fault" : "\(faults.count) faults"
            let lines = faults.enumerated().map { "\($0 + 1). \($1)" }
            return (["\(location): the migrations of \(name) have \(count):"] + lines).joined(separator: "\n")
        }

        /// The same as the description.
        public var errorDescription: String? { description }
    }
}

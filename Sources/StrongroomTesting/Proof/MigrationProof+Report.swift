public import Foundation

extension MigrationProof {
    /// Something that is wrong with the migrations.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, and what to do.
        public let message: String
        /// The ways on which it was met, such as `1 → 3`.
        public internal(set) var ways: [String]

        /// The message and the ways.
        public var description: String {
            let shown = ways.prefix(8).joined(separator: ", ") + (ways.count > 8 ? " and \(ways.count - 8) more" : "")
            return ways.isEmpty ? message : "\(message) [\(shown)]"
        }
    }

    /// What a proof found.
    public struct Report: Sendable, CustomStringConvertible {
        /// What is wrong; empty when the migrations are proved.
        public internal(set) var faults: [Fault] = []
        /// The ways up that were gone, such as `1 → 3`, each with the data of its first version.
        public internal(set) var ups: [String] = []
        /// The ways down that were gone, and up again.
        public internal(set) var downs: [String] = []
        /// How many times a migration was interrupted.
        public internal(set) var interruptions = 0
        /// How many times a file was brought to a newer version and got a newer key in the same opening, after which
        /// the older key opened it no longer; 0 for a configuration that never rotates.
        public internal(set) var rotations = 0
        /// The names of the fixture files that were opened.
        public internal(set) var fixtures: [String] = []
        /// What could not be proved, and why.
        public internal(set) var leftOut: [String] = []

        /// What was proved, in a few lines.
        public var description: String {
            let lines = [
                "up: \(ups.joined(separator: ", "))", "down: \(downs.joined(separator: ", "))",
                "interruptions: \(interruptions)", "rotations: \(rotations)",
                "fixtures: \(fixtures.joined(separator: ", "))",
            ]
            return (lines + leftOut.map { "left out: \($0)" } + faults.map { "fault: \($0)" }).joined(separator: "\n")
        }

        mutating func add(_ message: String, on way: String?) {
            let place = faults.firstIndex { $0.message == message }
            if place == nil { faults.append(Fault(message: message, ways: [])) }
            guard let way else { return }
            let index = place ?? faults.count - 1
            if !faults[index].ways.contains(way) { faults[index].ways.append(way) }
        }
    }

    /// The faults that a proof found, as the error of a test.
    public struct Failure: Error, Sendable, CustomStringConvertible, LocalizedError {
        /// What is wrong.
        public let faults: [Fault]
        /// The file and the line of the call.
        public let place: String
        let name: String

        /// The caller's line and every fault.
        public var description: String {
            let count = faults.count == 1 ? "a fault" : "\(faults.count) faults"
            let lines = faults.enumerated().map { "\($0 + 1). \($1)" }
            return (["\(place): the migrations of \(name) have \(count):"] + lines).joined(separator: "\n")
        }

        /// The same as the description.
        public var errorDescription: String? { description }
    }
}

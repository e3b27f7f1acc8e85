import Foundation
import StrongroomTesting
import Testing

/// What befalls a victim; Tests/FaultShim/plan.h tells more of each.
struct Fault: Sendable, CustomStringConvertible {
    enum Kind: String, Sendable {
        case killBefore = "kill-before"
        case killAfter = "kill-after"
        case tear, cut, fail, full
    }

    let kind: Kind
    /// The number of the call, from 1.
    let at: Int
    /// What a power cut leaves; 0 for nothing that was not brought to the disk.
    var seed = 0
    /// Whether fsync does nothing.
    var lies = false

    init(_ kind: Kind, at: Int, seed: Int = 0, lies: Bool = false) {
        self.kind = kind
        self.at = at
        self.seed = seed
        self.lies = lies
    }

    var environment: [String: String] {
        var variables = [
            "STRONGROOM_FAULT_DO": kind.rawValue, "STRONGROOM_FAULT_AT": "\(at)", "STRONGROOM_FAULT_SEED": "\(seed)",
        ]
        if lies { variables["STRONGROOM_FAULT_LIES"] = "1" }
        return variables
    }

    var description: String {
        "\(kind.rawValue) at call \(at)" + (seed == 0 ? "" : ", seed \(seed)") + (lies ? ", fsync lies" : "")
    }

    /// All that can kill a victim which makes some calls.
    static func kills(_ calls: [TracedCall]) -> [Fault] {
        let ends = calls.last.map { [Fault(.killAfter, at: $0.number)] } ?? []
        return ends
            + calls.flatMap { call in
                let seed = call.number.isMultiple(of: 3) ? 0 : call.number
                return [Fault(.killBefore, at: call.number), Fault(.cut, at: call.number, seed: seed)]
                    + (call.isWrite ? [Fault(.tear, at: call.number)] : [])
            }
    }
}

/// A call that the shim has counted.
struct TracedCall: Sendable, Equatable, CustomStringConvertible {
    let number: Int
    let name: String
    let file: String

    var isWrite: Bool { name == "write" || name == "pwrite" }

    init?(line: Substring) {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, let number = Int(words[0]) else { return nil }
        self.number = number
        name = String(words[1])
        file = String(words[2])
    }

    var description: String { "\(number) \(name) \(file)" }
}

/// How long the tests with planted faults may take: the variable `STRONGROOM_FAULTS` is `short` (as without it), `ci`
/// or `full`.
enum FaultForm: String {
    /// A few faults a case, chosen by a seed.
    case short
    /// As many as two minutes hold.
    case ci
    /// Every kill at every call, and of the faults that a victim survives a hundred a case.
    case full

    struct Unknown: Error {
        let value: String
    }

    static func current() throws -> FaultForm {
        guard let value = ProcessInfo.processInfo.environment["STRONGROOM_FAULTS"] else { return .short }
        guard let form = FaultForm(rawValue: value) else { throw Unknown(value: value) }
        return form
    }

    /// The faults that a case gets.
    ///
    /// - Parameters:
    ///   - all: All that there are.
    ///   - few: How many the short form has.
    ///   - most: How many the full form has; nil for all.
    ///   - seed: Chooses them, and their order.
    func choice<T>(of all: [T], few: Int, most: Int? = nil, seed: UInt64) -> [T] {
        var generator = SeededGenerator(seed)
        let shuffled = all.shuffled(using: &generator)
        return Array(shuffled.prefix(self == .short ? few : most ?? all.count))
    }

    /// Until when a case goes on with further faults, when its test has some seconds for some cases; nil for no end.
    func end(of seconds: Double, cases: Int) -> ContinuousClock.Instant? {
        self == .ci ? .now + .seconds(seconds / Double(cases)) : nil
    }
}

/// What became of the files, by kind of work and beginning.
struct OutcomeTable: Sendable {
    struct Line: Sendable {
        let work: String
        let beginning: String
        var faults = 0
        var before = 0
        var between = 0
        var after = 0
        var lost = 0
        var damaged = 0

        /// Prints the line at once: in the full form the table is long in coming.
        func tell() {
            print(cells.joined(separator: "  "))
            fflush(nil)
        }

        fileprivate var cells: [String] {
            [work, beginning] + [faults, before, between, after, lost, damaged].map { "\($0)" }
        }
    }

    private(set) var lines: [Line] = []

    mutating func add(_ line: Line) { lines.append(line) }

    var lost: Int { lines.reduce(0) { $0 + $1.lost } }
    var damaged: Int { lines.reduce(0) { $0 + $1.damaged } }
    var faults: Int { lines.reduce(0) { $0 + $1.faults } }

    /// The table, with a line of sums.
    func text(_ title: String, faults name: String) -> String {
        var sum = Line(work: "all", beginning: "")
        for line in lines {
            sum.faults += line.faults
            sum.before += line.before
            sum.between += line.between
            sum.after += line.after
            sum.lost += line.lost
            sum.damaged += line.damaged
        }
        let head = ["work", "begins with", name, "opened before", "between", "opened after", "lost", "damaged"]
        let rows = [head] + (lines + [sum]).map(\.cells)
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let body = rows.map { row in
            zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column < 2 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ")
        }
        return ([title] + body).joined(separator: "\n")
    }
}

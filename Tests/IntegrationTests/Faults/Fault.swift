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

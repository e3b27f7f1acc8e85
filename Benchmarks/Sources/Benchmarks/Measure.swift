import TestData

/// One comparison: the same work done by Strongroom and by its rivals.
struct Measure: Measurable {
    /// The time that one run took, without what prepares it and cleans up after it.
    typealias Run = () async throws -> Duration

    /// What is counted.
    enum Unit {
        /// A number of things done in the measured time; more is better.
        case rate(_ count: Int, _ name: String)
        /// The measured time in milliseconds; less is better.
        case milliseconds
        /// The measured time of one of a number of things, in microseconds; less is better.
        case microseconds(each: Int)
        /// The measured seconds are a multiple of the expected time; less is better.
        case times
    }

    /// A rival.
    struct Side {
        let name: String
        /// The ratio that is to be reached; above 1 is faster than the rival. Nil where it is only reported.
        let target: Double?
        let run: Run
    }

    let name: String
    let unit: Unit
    let ours: Run
    /// The first rival; nil when only the time itself counts.
    var rival: Side?
    /// The second one; nil where it does not do this work, or is left out.
    var grdb: Side?
    /// The same one with records that are decoded and encoded by hand.
    var grdbByHand: Side?
    /// The most that the amount is to be; for a time without a rival.
    var limit: Double?
    /// The least time that the work can take on the machine.
    var machineLimit: Run?
    /// False for what takes too long: one round, which counts.
    var isRepeated = true
}

extension Measure {
    /// A run that finds something, which is checked after the measured time.
    static func run(finding expected: Summary, _ body: @escaping () async throws -> Summary) -> Run {
        {
            var found = Summary()
            let duration = try await ContinuousClock().measure { found = try await body() }
            try found.check(expected)
            return duration
        }
    }

    /// Runs all sides in turn, so that a drift of the machine hits all, after one round that does not count where there
    /// are several.
    func run(runs: Int, engine: String) async throws -> Result {
        let sides = [ours] + [rival, grdb, grdbByHand].compactMap { $0?.run } + [machineLimit].compactMap(\.self)
        var seconds = Array(repeating: [Double](), count: sides.count)
        for round in isRepeated ? 0...runs : 1...1 {
            for turn in sides.indices {
                let side = (turn + round) % sides.count
                let duration = try await sides[side]()
                if round > 0 { seconds[side].append(duration / .seconds(1)) }
            }
        }
        // In the order of the sides.
        var rest = seconds.dropFirst()
        let theirs = rival == nil ? nil : rest.first.map(Self.median)
        func outcome(against side: Side?) -> Comparison? {
            guard let side, let theirs = rest.popFirst() else { return nil }
            return comparison(of: seconds[0], with: side, theirs)
        }
        let (rival, grdb, grdbByHand) = (
            outcome(against: rival), outcome(against: grdb), outcome(against: grdbByHand)
        )
        let least = rest.popFirst().map(Self.median)
        return Result(
            measure: name,
            engine: engine,
            unit: unit.name,
            ours: unit.amount(seconds: Self.median(seconds[0])),
            rival: rival,
            grdb: grdb,
            grdbByHand: grdbByHand,
            limit: limit,
            machineLimit: least.flatMap { least in theirs.map { $0 / least } }
        )
    }

    private func comparison(of ours: [Double], with side: Side, _ theirs: [Double]) -> Comparison {
        let ratios = zip(ours, theirs).map { ours, theirs in theirs / ours }
        return Comparison(
            rival: side.name,
            ratio: Self.median(theirs) / Self.median(ours),
            low: ratios.min() ?? 0,
            high: ratios.max() ?? 0,
            theirs: unit.amount(seconds: Self.median(theirs)),
            target: side.target
        )
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

extension Measure.Unit {
    var name: String {
        switch self {
        case .rate(_, let name): "\(name)/s"
        case .milliseconds: "ms"
        case .microseconds: "µs"
        case .times: "times"
        }
    }

    func amount(seconds: Double) -> Double {
        switch self {
        case .rate(let count, _): Double(count) / seconds
        case .milliseconds: seconds * 1000
        case .microseconds(let count): seconds * 1_000_000 / Double(count)
        case .times: seconds
        }
    }
}

/// One comparison: the same work done by Strongroom and by a rival.
struct Measure {
    /// What is counted.
    enum Unit {
        /// A number of things done in the measured time; more is better.
        case rate(_ count: Int, _ name: String)
        /// The measured time in milliseconds; less is better.
        case milliseconds
    }

    /// The time that one run took, without what prepares it and cleans up after it.
    typealias Run = () async throws -> Duration

    let name: String
    let rival: String
    let unit: Unit
    /// The ratio that is to be reached; above 1 is faster than the rival.
    let target: Double
    let ours: Run
    let theirs: Run
}

extension Measure {
    /// Runs both sides in turn, so that a drift of the machine hits both, after one pair that does not count.
    func run(runs: Int, engine: String) async throws -> Result {
        var pairs: [(ours: Double, theirs: Double)] = []
        for run in 0...runs {
            let pair = try await pair(oursFirst: run.isMultiple(of: 2))
            if run > 0 { pairs.append(pair) }
        }
        let ours = Self.median(pairs.map(\.ours))
        let theirs = Self.median(pairs.map(\.theirs))
        let ratios = pairs.map { $0.theirs / $0.ours }
        return Result(
            measure: name,
            engine: engine,
            rival: rival,
            ratio: theirs / ours,
            low: ratios.min() ?? 0,
            high: ratios.max() ?? 0,
            unit: unit.name,
            ours: unit.amount(seconds: ours),
            theirs: unit.amount(seconds: theirs),
            target: target
        )
    }

    private func pair(oursFirst: Bool) async throws -> (ours: Double, theirs: Double) {
        if oursFirst {
            let ours = try await ours()
            return (ours / .seconds(1), try await theirs() / .seconds(1))
        }
        let theirs = try await theirs()
        return (try await ours() / .seconds(1), theirs / .seconds(1))
    }

    private static func median(_ values: [Double]) -> Double {
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
        }
    }

    func amount(seconds: Double) -> Double {
        switch self {
        case .rate(let count, _): Double(count) / seconds
        case .milliseconds: seconds * 1000
        }
    }
}

import Strongroom
import TestData

extension Group {
    /// Takes too long to be repeated: one round, which counts, with Strongroom and C in turn every 50 databases. What
    /// else the machine does meanwhile falls on one tenth and not on another, so compare several runs, and C's two
    /// tenths with each other.
    ///
    /// A file is created with all that makes it safe: Strongroom creates it under another name, flushes it and
    /// renames it; C creates it under its name. So the two do not do the same, and the ratio is only reported.
    static let familyOpen = Group(
        "family-open", "10,000 databases of one family made, written once and closed, 50 open at one time, raw keys"
    ) { workplace in
        let round = try await FamilyRound(workplace)
        func measure(_ name: String, _ part: Range<Int>) -> Measure {
            Measure(
                name: name,
                unit: .rate(part.count * FamilyRound.openAtOneTime, "databases"),
                ours: { round.ours[part].reduce(.zero, +) },
                rival: Measure.Side(name: "C", target: nil) { round.theirs[part].reduce(.zero, +) },
                isRepeated: false
            )
        }
        let (first, last) = (round.firstTenth, round.lastTenth)
        let drift = Measure(
            name: "family-open, last tenth against first",
            unit: .rate(last.count * FamilyRound.openAtOneTime, "databases"),
            ours: { round.ours[last].reduce(.zero, +) },
            rival: Measure.Side(name: "first tenth", target: 0.9) { round.ours[first].reduce(.zero, +) },
            isRepeated: false
        )
        let times = [
            measure("family-open", round.ours.indices), measure("family-open, first tenth", first),
            measure("family-open, last tenth", last), drift,
        ]
        return times + round.leaks
    }
}

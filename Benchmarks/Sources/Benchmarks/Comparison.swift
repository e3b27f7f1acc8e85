/// How a measure came out against one rival.
struct Comparison: Encodable {
    let rival: String
    /// Of the medians; above 1 is faster than the rival.
    let ratio: Double
    /// The lowest ratio of two runs of one round.
    let low: Double
    /// The highest ratio of two runs of one round.
    let high: Double
    /// The rival's median, in the measure's unit.
    let theirs: Double
    /// The ratio that is to be reached; nil where it is only reported.
    let target: Double?

    private enum CodingKeys: CodingKey {
        case rival, ratio, low, high, theirs
    }
}

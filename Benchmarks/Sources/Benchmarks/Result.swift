/// What a measure came to.
struct Result: Encodable {
    let measure: String
    let engine: String
    let rival: String
    /// Of the medians; above 1 is faster than the rival.
    let ratio: Double
    /// The lowest ratio of a pair of runs.
    let low: Double
    /// The highest ratio of a pair of runs.
    let high: Double
    let unit: String
    /// The median, in the unit.
    let ours: Double
    /// The rival's median, in the unit.
    let theirs: Double
    let target: Double

    private enum CodingKeys: CodingKey {
        case measure, engine, rival, ratio, low, high, unit, ours, theirs
    }
}

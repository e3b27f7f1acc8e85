/// A point of a series, which shows how a number changes with the size of something; its group has measured it while
/// it was prepared.
struct SeriesPoint: Measurable {
    /// What is measured, after the name of its curve.
    let series: String
    /// The size: a number of rows, columns, bytes, …
    let x: Int
    let value: Double
    let unit: String

    func run(runs: Int, engine: String) -> Result {
        Result(
            measure: "\(series), at \(x)", engine: engine, unit: unit, ours: value, rival: nil, grdb: nil, limit: nil,
            point: self)
    }
}

/// A number that is no time, such as memory; its group has read it while it was prepared.
struct Gauge: Measurable {
    let name: String
    let unit: String
    let amount: Double
    /// The most that the amount is to be.
    var limit: Double?
    var rival: Comparison?
    var grdb: Comparison?

    func run(runs: Int, engine: String) -> Result {
        Result(
            measure: name, engine: engine, unit: unit, ours: amount, rival: rival, grdb: grdb, grdbByHand: nil,
            limit: limit)
    }
}

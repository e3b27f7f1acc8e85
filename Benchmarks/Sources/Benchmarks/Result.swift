/// What a measure came to.
struct Result {
    let measure: String
    let engine: String
    let unit: String
    /// The median, in the unit.
    let ours: Double
    /// Against the first rival, which is C or a statement written by hand.
    let rival: Comparison?
    let grdb: Comparison?
    /// Against GRDB's records that are decoded and encoded by hand.
    var grdbByHand: Comparison?
    /// The most that the amount is to be.
    let limit: Double?
    /// The ratio against the first rival that the machine allows.
    var machineLimit: Double?
    /// What a series consists of; nil for a comparison or a gauge.
    var point: SeriesPoint?
}

extension Result: Encodable {
    private enum CodingKeys: CodingKey {
        case measure, engine, unit, ours, grdb, grdbByHand, machineLimit, series, x, value
    }

    /// The first rival's numbers stand beside the measure's own, GRDB's in objects of their own.
    func encode(to encoder: any Encoder) throws {
        if let point { return try encode(point, to: encoder) }
        try rival?.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(measure, forKey: .measure)
        try container.encode(engine, forKey: .engine)
        try container.encode(unit, forKey: .unit)
        try container.encode(ours, forKey: .ours)
        try container.encodeIfPresent(grdb, forKey: .grdb)
        try container.encodeIfPresent(grdbByHand, forKey: .grdbByHand)
        try container.encodeIfPresent(machineLimit, forKey: .machineLimit)
    }

    private func encode(_ point: SeriesPoint, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(point.series, forKey: .series)
        try container.encode(engine, forKey: .engine)
        try container.encode(point.x, forKey: .x)
        try container.encode(point.value, forKey: .value)
        try container.encode(point.unit, forKey: .unit)
    }
}

import Strongroom
import TestData

extension Group {
    /// What every store of the measures has.
    static let functions: [any DatabaseFunction] = [
        SQLFunction("doubled", deterministic: true) { (number: Int64) in number * 2 },
        SQLFunction("same", deterministic: true) { (text: String) in text },
    ]

    static let function = Group("function", "a function in Swift in a scan of 200,000 rows, against the same in C") {
        workplace in
        let samples = TestData.rows()
        let file = try await workplace.makeFile(of: Entry.self, samples)
        let store = try await file.open()
        let rival = try file.openRival()
        try rival.registerFunctions()
        func measure(_ name: String, _ sql: String, _ expected: Int64) -> Measure {
            Measure(
                name: name,
                unit: .rate(samples.count, "rows"),
                ours: {
                    var found: Int64?
                    let duration = try await ContinuousClock().measure {
                        found = try await store.read { db in try db.value(SQL(stringLiteral: sql), as: Int64.self) }
                    }
                    try Summary(rows: found ?? -1).check(Summary(rows: expected))
                    return duration
                },
                rival: Measure.Side(name: "C", target: 1 / 3) {
                    var found: Int64 = -1
                    let duration = try ContinuousClock().measure { found = try rival.value(sql) }
                    try Summary(rows: found).check(Summary(rows: expected))
                    return duration
                }
            )
        }
        let sizes = samples.reduce(0) { $0 + $1.size }
        let lengths = samples.reduce(0) { $0 + Int64($1.name.unicodeScalars.count) }
        return [
            measure("function of an integer", "SELECT sum(doubled(size)) FROM entry", sizes * 2),
            measure("function of a text", "SELECT sum(length(same(name))) FROM entry", lengths),
        ]
    }
}

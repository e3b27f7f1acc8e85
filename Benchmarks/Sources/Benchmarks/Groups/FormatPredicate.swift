import Strongroom
import StrongroomObjects

extension Group {
    static let formatPredicate = Group(
        "format-predicate", "a predicate as text made into a condition: one that is new, and one that is remembered"
    ) { _ in
        let count = 20_000
        // More than are remembered, so that each is parsed.
        let texts = (0..<count).map { number in
            "size BETWEEN {18, \(number)} AND (name BEGINSWITH[c] %@ OR NOT note LIKE '*@example.org')"
        }
        return [
            Measure(
                name: "predicate as text, new",
                unit: .microseconds(each: count),
                ours: { try time(texts) { text in try Entry.where(PredicateFormat(text, "am")) } },
                limit: 20
            ),
            Measure(
                name: "predicate as text, remembered",
                unit: .microseconds(each: count),
                ours: {
                    try time(Array(1...count)) { limit in
                        try Entry.where(
                            "size BETWEEN {18, %d} AND (name BEGINSWITH[c] %@ OR NOT note LIKE '*@example.org')", limit,
                            "am")
                    }
                },
                limit: 20
            ),
            Measure(
                name: "the same from columns",
                unit: .microseconds(each: count),
                ours: {
                    try time(Array(1...Int64(count))) { limit in
                        Entry.where {
                            $0.size.isBetween(18, and: limit)
                                && ($0.name.lowercased().hasPrefix("am") || !Condition("note GLOB \("*@example.org")"))
                        }
                    }
                }
            ),
        ]
    }

    private static func time<Input>(_ inputs: [Input], _ make: (Input) throws -> Query<Entry>) throws -> Duration {
        try ContinuousClock().measure { for input in inputs { keep(try make(input)) } }
    }

    /// Keeps the compiler from leaving out what nobody uses.
    @inline(never)
    private static func keep(_ query: Query<Entry>) {
        withExtendedLifetime(query) {}
    }
}

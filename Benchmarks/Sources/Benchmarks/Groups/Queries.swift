import Strongroom
import TestData

extension Group {
    static let queries = Group(
        "queries", "20,000 parents and 90,000 children: a subquery, a grouped join, parents with aggregates of children"
    ) { workplace in
        let samples = TestData.rows(count: TestVisit.parentCount)
        let visits = Dictionary(grouping: TestVisit.all(), by: \.entry)
        let file = try await workplace.makeFile(of: Entry.self, samples)
        try await file.addVisits()
        let store = try await file.open()
        func measure(
            _ name: String, _ work: Work, _ expected: Summary,
            _ query: @escaping @Sendable (borrowing ReadTransaction) throws -> Summary
        ) -> Measure {
            Measure(
                name: "queries, \(name)",
                unit: .milliseconds,
                ours: {
                    var found = Summary()
                    let duration = try await ContinuousClock().measure {
                        found = try await store.read { db in try query(db) }
                    }
                    try found.check(expected)
                    return duration
                },
                grdb: workplace.grdbReading(work, file, target: 2, expected)
            )
        }
        return [
            measure("subquery", .subquery, Self.expectedMatches(samples, visits), Self.matches),
            measure("grouped join", .groupedJoin, Self.expectedGroups(samples, visits), Self.groups),
            measure("aggregates", .childrenAggregates, Self.expectedAggregates(samples, visits), Self.aggregates),
        ]
    }

    private static func matches(_ db: borrowing ReadTransaction) throws -> Summary {
        let limit = TestVisit.limit
        return Summary(
            try Entry.where { entry in Visit.exists { $0.entry == entry.id && $0.minutes > limit } }.fetch(in: db))
    }

    private static func groups(_ db: borrowing ReadTransaction) throws -> Summary {
        let limit = TestVisit.limit
        let rows = try Entry.join(Visit.self) { entry, visit in entry.id == visit.entry }
            .group { entry, _ in entry.id }
            .having { _, visit in visit.minutes.max() > limit }
            .select { entry, visit in (entry.name, visit.id.count(), visit.minutes.max()) }
            .fetch(in: db)
        return rows.reduce(into: Summary()) { summary, row in
            summary.add(name: row.0, count: Int64(row.1), longest: row.2)
        }
    }

    private static func aggregates(_ db: borrowing ReadTransaction) throws -> Summary {
        let rows = try Entry.order { $0.id.ascending }
            .with { entry in
                let visits = Subquery(Visit.self) { $0.entry == entry.id }
                return (visits.count, visits.value { $0.minutes.max() })
            }
            .fetch(in: db)
        return rows.reduce(into: Summary()) { summary, row in
            summary.add(row.0)
            summary.sum += Int64(row.1) + (row.2 ?? 0)
        }
    }

    private typealias Visits = [Int64: [TestVisit]]

    private static func numbered(_ samples: [Sample], _ visits: Visits) -> [(Sample, [TestVisit])] {
        samples.enumerated().map { ($1, visits[Int64($0) + 1] ?? []) }
    }

    private static func expectedMatches(_ samples: [Sample], _ visits: Visits) -> Summary {
        Summary(numbered(samples, visits).filter { $0.1.contains { $0.minutes > TestVisit.limit } }.map(\.0))
    }

    private static func expectedGroups(_ samples: [Sample], _ visits: Visits) -> Summary {
        numbered(samples, visits).reduce(into: Summary()) { summary, row in
            guard let longest = row.1.map(\.minutes).max(), longest > TestVisit.limit else { return }
            summary.add(name: row.0.name, count: Int64(row.1.count), longest: longest)
        }
    }

    private static func expectedAggregates(_ samples: [Sample], _ visits: Visits) -> Summary {
        numbered(samples, visits).reduce(into: Summary(samples)) { summary, row in
            summary.sum += Int64(row.1.count) + (row.1.map(\.minutes).max() ?? 0)
        }
    }
}

extension Workplace.File {
    /// Adds the children, and closes the file again.
    fileprivate func addVisits() async throws {
        let store = try await open()
        try await store.write { db in
            try db.createTable(Visit.schema)
            _ = try Visit.insert(contentsOf: TestVisit.all().map(Visit.init), in: db)
        }
        try await store.close()
    }
}

import Strongroom
import TestData

extension Group {
    static let history = Group(
        "history", "200,000 rows of a table with a history, one by one in one transaction, against a table without one"
    ) { workplace in
        let samples = TestData.rows()
        let changed = TestData.changedRows()
        func measure(
            _ name: String, before: [Sample] = [], after: [Sample],
            ours: @escaping (Store) async throws -> Void, plain: @escaping (Store) async throws -> Void
        ) async throws -> Measure {
            let work = try await WriteWork(on: KeptEntry.self, in: workplace, before: before, after: after)
            let plainWork = try await WriteWork(on: Entry.self, in: workplace, before: before, after: after)
            return Measure(
                name: "\(name) with history",
                unit: .rate(after.count, "rows"),
                ours: work.ours(ours),
                rival: plainWork.other("without", target: 1 / 2.2, plain)
            )
        }
        return [
            try await measure(
                "insert", after: samples, ours: insertion(of: samples, KeptEntry.self),
                plain: insertion(of: samples, Entry.self)),
            try await measure(
                "update", before: samples, after: changed, ours: update(to: changed, KeptEntry.self),
                plain: update(to: changed, Entry.self)),
        ]
    }

    private static func insertion<T: SampleTable>(
        of samples: [Sample], _ table: T.Type
    ) -> (Store) async throws -> Void {
        let records = samples.map(T.init)
        return { store in
            try await store.write { db in
                for record in records { _ = try T.insert(record, in: db) }
            }
        }
    }

    private static func update<T: SampleTable>(
        to samples: [Sample], _ table: T.Type
    ) -> (Store) async throws -> Void {
        let records = samples.map(T.init)
        return { store in
            try await store.write { db in
                for record in records { try T.update(record, in: db) }
            }
        }
    }
}

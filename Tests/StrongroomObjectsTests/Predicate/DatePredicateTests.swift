import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

struct DatePredicateTests {
    @Table("task")
    struct Task {
        var id: Int64?
        @Column(as: .since1970(.seconds)) var seconds: Date
        @Column(as: .since1970(.wholeSeconds)) var whole: Date
        @Column(as: .since1970(.milliseconds)) var milliseconds: Date
        @Column(as: .iso8601) var iso: Date
        @Column(as: .iso8601WithBlank) var plain: Date
        @Column(as: .iso8601) var due: Date?
        var own: Date

        init(_ date: Date) {
            (seconds, whole, milliseconds, iso, plain, own) = (date, date, date, date, date, date)
        }
    }

    /// 2026-11-21T20:15:00.250Z
    private static let moment = Date(timeIntervalSince1970: 1_795_292_100.25)

    @Test func predicatesTakeTheFormOfTheColumn() async throws {
        try await TemporaryStore(tables: [Task.schema]).store.write { db in
            let dates = [-1, 0, 1].map { Self.moment + $0 * 86_400 }
            try Task.insert(contentsOf: dates.map { Task($0) }, in: db)
            let moment = Self.moment
            #expect(try Task.where(#Predicate { $0.seconds > moment }).count(in: db) == 1)
            #expect(try Task.where(#Predicate { $0.whole > moment }).count(in: db) == 1)
            #expect(try Task.where(#Predicate { $0.milliseconds == moment }).count(in: db) == 1)
            #expect(try Task.where(#Predicate { moment > $0.iso }).count(in: db) == 1)
            #expect(try Task.where(#Predicate { $0.plain <= moment }).count(in: db) == 2)
            #expect(try Task.where(#Predicate { ($0.due ?? moment) == $0.iso }).count(in: db) == 1)
            #expect(try Task.where(#Predicate { $0.due == nil }).count(in: db) == 3)
        }
    }

    @Test func twoFormsAreNotCompared() throws {
        try expectFailure(.notTranslatable) { try Task.where(#Predicate { $0.seconds == $0.own }) }
    }
}

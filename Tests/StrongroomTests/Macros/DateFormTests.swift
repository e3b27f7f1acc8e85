import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Dates in each stored form: written, read, compared, sorted and in JSON.
struct DateFormTests {
    @Table("task")
    struct Task: Equatable {
        var id: Int64?
        @Column(as: .since1970(.seconds)) var seconds: Date
        @Column(as: .since1970(.wholeSeconds)) var whole: Date
        @Column(as: .since1970(.milliseconds)) var milliseconds: Date
        @Column(as: .iso8601) var iso: Date
        @Column(as: .iso8601WithBlank) var plain: Date
        @Column(as: .iso8601) var due: Date?
        var own: Date

        init(id: Int64? = nil, _ date: Date, due: Date? = nil) {
            self.id = id
            (seconds, whole, milliseconds, iso, plain, own) = (date, date, date, date, date, date)
            self.due = due
        }
    }

    /// 2026-11-21T20:15:00.250Z
    private static let moment = Date(timeIntervalSince1970: 1_795_292_100.25)
    private static let day = 86_400.0

    private let store: Store

    init() async throws { store = try await TemporaryStore(tables: [Task.schema]).store }

    @Test func theStoredFormIsTheDeclaredOne() async throws {
        try await store.write { db in
            try Task.insert(Task(Self.moment, due: Self.moment), in: db)
            var rows: [[SQLValue]] = []
            try db.forEachRow("SELECT seconds, whole, milliseconds, iso, plain, due, own FROM task") { row in
                rows.append(try (0..<row.count).map { try row.value(at: $0) })
            }
            #expect(
                rows == [
                    [
                        .real(1_795_292_100.25), .integer(1_795_292_100), .integer(1_795_292_100_250),
                        .text("2026-11-21T20:15:00.250Z"), .text("2026-11-21 20:15:00.250"),
                        .text("2026-11-21T20:15:00.250Z"), .real(816_984_900.25),
                    ]
                ])
            let types = try db.columns(of: "task").map(\.declaredType)
            #expect(
                types == [
                    "INTEGER", "UNIXTIME_REAL", "UNIXTIME_INTEGER", "UNIXTIME_MS_INTEGER", "ISO8601_TEXT",
                    "DATETIME_TEXT", "ISO8601_TEXT", "REAL",
                ])
            // The engine agrees on what they mean.
            let texts = try db.value(
                """
                SELECT strftime('%Y-%m-%d %H:%M:%S', seconds, 'unixepoch')
                    || strftime(' %Y-%m-%d %H:%M:%S', whole, 'unixepoch') || strftime(' %Y-%m-%d %H:%M:%f', iso)
                    || strftime(' %Y-%m-%d %H:%M:%f', plain) FROM task
                """, as: String.self)
            let second = "2026-11-21 20:15:00"
            #expect(texts == "\(second) \(second) \(second).250 \(second).250")
        }
    }

    @Test(arguments: [
        -62_135_596_800, -0.001, 0, 0.0005, 1.25, 978_307_199.999, 978_307_200, 1_795_292_100.987654, 253_402_300_799.5,
    ])
    func aDateIsReadAsItsFormHoldsIt(seconds: Double) async throws {
        let date = Date(timeIntervalSince1970: seconds)
        try await store.write { db in
            let id = try Task.insert(Task(date), in: db)
            let found = try #require(try Task.find(id, in: db))
            #expect(abs(found.seconds.timeIntervalSince(date)) < 0.00001)
            #expect(found.whole.timeIntervalSince1970 == date.timeIntervalSince1970.rounded(.down))
            for other in [found.milliseconds, found.iso, found.plain] {
                #expect(abs(other.timeIntervalSince(date)) <= 0.000_501)
            }
            #expect(found.due == nil)
            #expect(found.own == date)
            // A row is found by the date with which it was inserted.
            #expect(try Task.where { $0.seconds == date }.count(in: db) == 1)
            #expect(try Task.where { $0.whole == date }.count(in: db) == 1)
            #expect(try Task.where { $0.milliseconds == date }.count(in: db) == 1)
            #expect(try Task.where { $0.iso == date }.count(in: db) == 1)
            #expect(try Task.where { $0.plain == date }.count(in: db) == 1)
            // Read and written again, nothing changes.
            try Task.update(found, in: db)
            #expect(try Task.find(id, in: db) == found)
        }
    }

    @Test func comparisonsAndOrderAreThoseOfTheDates() async throws {
        try await store.write { db in
            let dates = [3, -40, 0, 12_000, -20_000, 1].map { Self.moment + $0 * Self.day }
            try Task.insert(contentsOf: dates.map { Task($0, due: $0) }, in: db)
            let sorted = dates.sorted()
            try Self.check("seconds", { $0.seconds }, \.seconds, sorted, in: db)
            try Self.check("whole", { $0.whole }, \.whole, sorted, in: db)
            try Self.check("milliseconds", { $0.milliseconds }, \.milliseconds, sorted, in: db)
            try Self.check("iso", { $0.iso }, \.iso, sorted, in: db)
            try Self.check("plain", { $0.plain }, \.plain, sorted, in: db)
            try Self.check("own", { $0.own }, \.own, sorted, in: db)
            #expect(try Task.where { $0.due > Self.moment }.count(in: db) == 3)
            #expect(try Task.where { $0.due ?? .distantPast > Self.moment }.count(in: db) == 3)
        }
    }

    private static func check(
        _ name: String, _ column: @escaping (Task.Columns) -> Column<Date>, _ property: (Task) -> Date,
        _ sorted: [Date],
        in db: borrowing WriteTransaction
    ) throws {
        let (low, high) = (sorted[1], sorted[3])
        let all = try Task.order { column($0).ascending }.fetch(in: db)
        #expect(all.map(\.own) == sorted, "\(name)")
        let past = try Task.where { column($0) < moment }.fetch(in: db)
        #expect(past.count == 2, "\(name)")
        #expect(try Task.where { column($0) >= moment }.count(in: db) == 4, "\(name)")
        #expect(try Task.where { column($0) != moment }.count(in: db) == 5, "\(name)")
        #expect(try Task.where { column($0).isBetween(low, and: high) }.count(in: db) == 3, "\(name)")
        #expect(try Task.where { column($0).isIn([low, high]) }.count(in: db) == 2, "\(name)")
        #expect(try Task.where { column($0).isIn(low..<high) }.count(in: db) == 2, "\(name)")
        let many = (0..<50).map { moment + Double($0) * Self.day }
        #expect(try Task.where { column($0).isIn(many) }.count(in: db) == 3, "\(name)")
        let last = try #require(try Task.query.value(in: db) { column($0).max() } ?? nil)
        #expect(abs(last.timeIntervalSince(sorted[5])) < 1, "\(name)")
        let chosen = try Task.order { column($0).ascending }.select { column($0) }.fetch(in: db)
        #expect(chosen == all.map(property), "\(name)")
        try Task.where { column($0) == low }.update(in: db) { [column($0).set(high)] }
        #expect(try Task.where { column($0) == high }.count(in: db) == 2, "\(name)")
        try Task.where { column($0) == high && $0.own == low }.update(in: db) { [column($0).set(low)] }
    }

    @Test func twoFormsAreNotCompared() async throws {
        try await store.write { db in
            try expectFailure(.notTranslatable) { try Task.where { $0.iso == $0.plain }.count(in: db) }
            try expectFailure(.notTranslatable, saying: "iso8601") { try Task.where { $0.iso < $0.own }.count(in: db) }
            try expectFailure(.notTranslatable) { try Task.query.update(in: db) { [$0.iso.set($0.plain)] } }
        }
    }

    @Test func JSONAndDictionariesHaveTheFormOfTheCoding() async throws {
        let task = Task(id: 1, Self.moment, due: Self.moment)
        let text = try task.json()
        #expect(text.contains(#""whole":"2026-11-21T20:15:00Z""#))
        #expect(text.contains(#""iso":"2026-11-21T20:15:00.25Z""#))
        let back = try Task(json: text)
        #expect(back.iso == Self.moment)
        #expect(back.own == Self.moment)
        let numbers = RecordCoding(dates: .form(.since1970(.seconds)))
        #expect(try Task(json: task.json(numbers), numbers).plain == Self.moment)
        let stored = try task.dictionary()
        #expect(stored["plain"] == .text("2026-11-21 20:15:00.250"))
        #expect(stored["whole"] == .integer(1_795_292_100))
        #expect(try Task(dictionary: stored).seconds == Self.moment)
        let coding = RecordCoding.stored
        #expect(try Task(json: task.json(coding), coding).milliseconds == Self.moment)
        try expectFailure(.typeMismatch) { _ = try Task(dictionary: stored.merging(["iso": 5]) { $1 }) }
    }

    @Test func pagesAreCutByDates() async throws {
        try await store.write { db in
            try Task.insert(contentsOf: (0..<10).map { Task(Self.moment + Double($0 % 4)) }, in: db)
            let query = Task.order { ($0.iso.descending, $0.whole.ascending) }
            var found: [Int64?] = []
            var last: Task?
            while true {
                let page = try (last.map { query.after($0) } ?? query).limit(3).fetch(in: db)
                guard let next = page.last else { break }
                found += page.map(\.id)
                last = next
            }
            #expect(found.count == 10)
            #expect(Set(found).count == 10)
        }
    }

    @Test func integersOfOtherProgramsAreReadAndFound() async throws {
        try await store.write { db in
            try Task.insert(Task(Self.moment), in: db)
            try db.execute("UPDATE task SET seconds = 1795292100")
            let task = try #require(try Task.find(1, in: db))
            #expect(task.seconds.timeIntervalSince1970 == 1_795_292_100)
            #expect(try Task.where { $0.seconds == task.seconds }.count(in: db) == 1)
        }
    }

    /// What is read is found: a date in another spelling would be equal to no date in a condition.
    @Test(arguments: [
        ("plain", SQLValue.text("2026-11-21 20:15:00"), "0000-00-00 00:00:00 "),
        ("plain", .text("2026-11-21 20:15"), "0000-00-00 00:00 "),
        ("plain", .text("2026-11-21T20:15:00.250"), "0000-00-00T00:00:00.000 "),
        ("iso", .text("2026-11-21T21:15:00.250+01:00"), "0000-00-00T00:00:00.000+00:00 "),
        ("iso", .text("2026-11-21T20:15:00Z"), "0000-00-00T00:00:00Z "),
        ("iso", .text("2026-11-21 20:15:00.250"), "0000-00-00 00:00:00.000 "),
        ("whole", .real(1_795_292_100.5), "more digits"), ("milliseconds", .real(1_795_292_100_123.5), "more digits"),
        ("seconds", .real(0.1), "more digits"),
    ])
    func anotherSpellingOfADateIsRefused(column: String, stored: SQLValue, found: String) async throws {
        try await store.write { db in
            try Task.insert(Task(Self.moment), in: db)
            try db.execute("UPDATE task SET \(name: column) = \(stored)")
            let error = try expectFailure(.typeMismatch) { _ = try Task.find(1, in: db) }
            #expect(error.mismatch?.column == column)
            #expect(error.mismatch?.table == "task")
            #expect(error.message.contains(found) && error.message.contains("convertSpellings"), "\(error)")
            #expect(!error.message.contains("1795") && !error.message.contains("2026"))
            #expect(try db.convertSpellings(of: Task.self).map(\.column) == [column])
            let task = try #require(try Task.find(1, in: db))
            #expect(abs(task.plain.timeIntervalSince(Self.moment)) < 1)
            #expect(try db.convertSpellings(of: Task.self) == [])
        }
    }

    @Test func wrongDatesAreRefused() async throws {
        try await store.write { db in
            try Task.insert(Task(Self.moment), in: db)
            for wrong: SQLValue in [
                .text("yesterday"), .text("2026-13-01"), .integer(5), .text("2026-11-21x20:15"),
                .text("2026-02-30 00:00:00.000"), .text("2026-11-21 24:00:00.000"), .text(""),
            ] {
                try db.execute("UPDATE task SET plain = \(wrong)")
                let error = try expectFailure(.typeMismatch, saying: "plain") { _ = try Task.find(1, in: db) }
                #expect(!error.message.contains("yesterday"))
                #expect(!error.message.contains("convertSpellings"))
                try expectFailure(.schemaChange) { try db.convertSpellings(of: Task.self) }
            }
        }
    }

    @Test func aDateThatTheFormDoesNotHaveIsAnError() async throws {
        try await store.write { db in
            for date in [Date(timeIntervalSince1970: 1e12), Date(timeIntervalSince1970: .infinity)] {
                var task = Task(Self.moment)
                task.iso = date
                try expectFailure(.valueNotStorable) { try Task.insert(task, in: db) }
                try expectFailure(.valueNotStorable) { try Task.where { $0.plain == date }.count(in: db) }
            }
            #expect(try Task.count(in: db) == 0)
        }
    }

    @Test(arguments: [
        (-62_167_219_200, 0), (-62_135_596_800.5, 0), (-1.5, 1969), (-0.001, 1969), (0, 1970), (1.25, 1970),
        (951_782_399.987, 2000), (1_795_292_100.25, 2026), (150_000_000_000, 6723), (253_402_300_799.25, 9999),
    ])
    func thePartsOfADateAreThoseOfEachForm(seconds: Double, year: Int) async throws {
        let whole = Int(seconds.rounded(.down))
        func rest(_ number: Int, _ divisor: Int) -> Int { (number % divisor + divisor) % divisor }
        let day = (whole - rest(whole, 86_400)) / 86_400
        let expected: [(DatePart, Int)] = [
            (.year, year), (.hour, rest(whole, 86_400) / 3600), (.minute, rest(whole, 3600) / 60),
            (.second, rest(whole, 60)), (.weekday, rest(day + 4, 7) + 1),
        ]
        try await store.write { db in
            try Task.insert(Task(Date(timeIntervalSince1970: seconds)), in: db)
            for (part, number) in expected {
                let found = try Task.query.select {
                    (
                        $0.seconds.part(part), $0.whole.part(part), $0.milliseconds.part(part), $0.iso.part(part),
                        $0.plain.part(part), $0.own.part(part)
                    )
                }
                .fetch(in: db)[0]
                let all = [found.0, found.1, found.2, found.3, found.4, found.5]
                #expect(all == Array(repeating: number, count: 6), "\(part)")
            }
            let offset = year == 9999 ? -5400 : 5400
            let starts = try Task.query.select {
                (
                    $0.seconds.start(of: .hour, secondsFromGMT: offset),
                    $0.whole.start(of: .hour, secondsFromGMT: offset),
                    $0.milliseconds.start(of: .hour, secondsFromGMT: offset),
                    $0.iso.start(of: .hour, secondsFromGMT: offset),
                    $0.plain.start(of: .hour, secondsFromGMT: offset), $0.own.start(of: .hour, secondsFromGMT: offset)
                )
            }
            .fetch(in: db)[0]
            let start = Date(timeIntervalSince1970: Double(whole - rest(whole + offset, 3600)))
            let all = [starts.0, starts.1, starts.2, starts.3, starts.4, starts.5]
            #expect(all == Array(repeating: start, count: 6))
        }
    }

    @Test func theOffsetOfAWrittenDateCounts() async throws {
        try await store.write { db in
            try Task.insert(Task(Self.moment), in: db)
            try db.execute("UPDATE task SET iso = '2026-11-22T00:15:00.250+04:00'")
            let found = try Task.query.select { ($0.iso.part(.day), $0.iso.part(.hour)) }.fetch(in: db)[0]
            #expect(found.0 == 21 && found.1 == 20)
        }
    }

    private static let told = SQLFunction("told") { (date: Date) in date.timeIntervalSince1970 }

    @Test func aFunctionInSwiftGetsTheDateOfEachNumber() async throws {
        try await TemporaryStore(tables: [Task.schema], functions: [Self.told]).store.write { db in
            try Task.insert(Task(Self.moment, due: Self.moment), in: db)
            let found = try Task.query.select {
                (Self.told($0.seconds), Self.told($0.whole), Self.told($0.milliseconds), Self.told($0.own))
            }
            .fetch(in: db)[0]
            let moment = Self.moment.timeIntervalSince1970
            #expect([found.0, found.1, found.2, found.3] == [moment, moment.rounded(.down), moment, moment])
            try expectFailure(.notTranslatable) { try Task.query.select { Self.told($0.iso) }.fetch(in: db) }
            try expectFailure(.notTranslatable) { try Task.query.select { Self.told($0.due) }.fetch(in: db) }
            try expectFailure(.notTranslatable) { try Task.query.select { Self.told($0.plain) }.fetch(in: db) }
        }
    }
}

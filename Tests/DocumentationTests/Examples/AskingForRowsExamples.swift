import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Querying rows\"")
struct AskingForRowsExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var age: Int
        var city = "Bonn"
        var cityID: Int64?
        var moves = 0
        var lastSeen: Date = Date(timeIntervalSinceReferenceDate: 0)
    }

    @Table("order")
    struct Order: Equatable {
        var id: Int64?
        var contactID: Int64
        var total: Int
    }

    @Table("city")
    struct City: Equatable {
        var id: Int64?
        var name: String
    }

    /// Sixty contacts of the ages 1 to 60, of which the first 12 live in Köln; the last two have ordered something.
    private func store() async throws -> Store {
        let store = try await TemporaryStore(tables: [Contact.schema, Order.schema, City.schema]).store
        try await store.write { db in
            try City.insert(City(name: "Köln"), in: db)
            for age in 1...60 {
                let name = (age.isMultiple(of: 2) ? "A" : "B") + String(format: "%02d", age)
                let city: (String, Int64?) = age <= 12 ? ("Köln", 1) : ("Bonn", nil)
                try Contact.insert(Contact(name: name, age: age, city: city.0, cityID: city.1), in: db)
            }
            try Order.insert(contentsOf: [Order(contactID: 59, total: 100), Order(contactID: 60, total: 101)], in: db)
            try Order.insert(Order(contactID: 3, total: 5), in: db)
        }
        return store
    }

    @Test func aQueryIsAValue() async throws {
        try await store().read { db in
            let adults = Contact.where { $0.age >= 18 && $0.name.hasPrefix("A") }
            let page = try adults.order { $0.name.ascending }.limit(20).fetch(in: db)

            #expect(page.map(\.age) == Array(stride(from: 18, through: 56, by: 2)))
        }
    }

    @Test func severalOrders() async throws {
        try await store().read { db in
            let isByCity = true
            let byCity = Contact.order { ($0.city.ascending, $0.name.descending) }
            let chosen = Contact.order { contact in
                if isByCity { contact.city.ascending }
                contact.age.descending
            }

            let (first, second) = (try byCity.first(in: db), try chosen.first(in: db))
            #expect(first?.name == "B59")
            #expect(second?.age == 60)
        }
    }

    @Test func pagesFollowEachOther() async throws {
        try await store().read { db in
            var shown: [[Contact]] = []
            func show(_ page: [Contact]) { shown.append(page) }

            let byName = Contact.order { $0.name.ascending }.limit(50)
            var page = try byName.fetch(in: db)
            while let last = page.last {
                show(page)
                page = try byName.after(last).fetch(in: db)
            }

            #expect(shown.map(\.count) == [50, 10])
            #expect(shown.flatMap { $0 } == (try Contact.order { $0.name.ascending }.fetch(in: db)))
        }
    }

    @Test func aPlaceGoesToAClientAndComesBack() async throws {
        try await store().write { db in
            let byName = Contact.order { $0.name.ascending }.limit(50)
            let last = try #require(try byName.fetch(in: db).last)
            try Contact.delete(#require(last.id), in: db)

            let cursor = try byName.cursor(after: last).description
            let next = try byName.after(PageCursor(cursor)).fetch(in: db)

            #expect(next.map(\.name) == (41...59).filter { !$0.isMultiple(of: 2) }.map { "B\($0)" })
        }
    }

    @Test func recordsAreReadOneAtATime() async throws {
        try await store().read { db in
            var exported: [Contact] = []
            func export(_ contact: Contact) throws { exported.append(contact) }

            try Contact.query.forEach(in: db) { contact in try export(contact) }

            #expect(exported == (try Contact.all(in: db)))
        }
    }

    @Test func aLoopMayWriteToItsRows() async throws {
        try await store().write { db in
            let before = try Contact.all(in: db).map(\.age)

            try Contact.order { $0.age.ascending }.forEach(in: db) { contact in
                var contact = contact
                contact.age += 1
                try Contact.update(contact, in: db)
            }

            #expect(try Contact.all(in: db).map(\.age) == before.map { $0 + 1 })
        }
    }

    @Test func singleValuesAndGroups() async throws {
        try await store().read { db in
            let oldest = try Contact.query.value(in: db) { $0.age.max() }  // Int?
            let names = try Contact.query.select { ($0.id, $0.name) }.fetch(in: db)  // [(Int64?, String)]
            let cities = try Contact.group { $0.city }
                .having { _ in RowCount() > 10 }
                .order { $0.age.average().descending }
                .select { ($0.city, RowCount(), $0.age.average()) }
                .fetch(in: db)  // [(String, Int, Double?)]

            let towns = try Contact.query.select { $0.city }.distinct().fetch(in: db)  // [String]

            #expect(towns.sorted() == ["Bonn", "Köln"])
            let typed: (Int?, [(Int64?, String)], [(String, Int, Double?)]) = (oldest, names, cities)
            #expect(typed.0 == 60)
            #expect(names.count == 60 && names[0].0 == 1 && names[0].1 == "B01")
            #expect(cities.map(\.0) == ["Bonn", "Köln"] && cities.map(\.1) == [48, 12])
            #expect(cities.map(\.2) == [36.5, 6.5])
        }
    }

    func orders(in city: String) throws -> Join<(JoinedColumns<Contact>, OuterColumns<Order>), (Contact, Order?)> {
        try Contact.leftJoin(Order.self) { contact, order in contact.id == order.contactID }
            .where { contact, _ in contact.city == city }
    }

    @Test func severalTables() async throws {
        try await store().read { db in
            let pairs = try Contact.join(Order.self) { contact, order in contact.id == order.contactID }
                .where { contact, order in order.total > 100 }
                .fetch(in: db)  // [(Contact, Order)]

            let all = try Contact.leftJoin(Order.self) { contact, order in contact.id == order.contactID }
                .join(City.self) { contact, order, city in contact.cityID == city.id }
                .fetch(in: db)  // [(Contact, Order?, City)]

            let idle = try Contact.leftJoin(Order.self) { contact, order in contact.id == order.contactID }
                .where { contact, order in order.id == nil }
                .select { contact, order in (contact.name, order.total) }
                .fetch(in: db)  // [(String, Int?)]

            let sums = try Contact.join(Order.self) { contact, order in contact.id == order.contactID }
                .group { contact, _ in contact.city }
                .select { contact, _ in (contact.city, RowCount()) }
                .fetch(in: db)  // [(String, Int)]

            #expect(sums.map(\.0).sorted() == ["Bonn", "Köln"] && sums.map(\.1).sorted() == [1, 2])
            #expect(try orders(in: "Köln").count(in: db) == 12)
            let totals: [Int?] = idle.map(\.1)
            #expect(totals.count == 57 && totals.allSatisfy { $0 == nil })
            let typed: ([(Contact, Order)], [(Contact, Order?, City)]) = (pairs, all)
            #expect(typed.0.map(\.0.age) == [60] && pairs.map(\.1.total) == [101])
            #expect(all.count == 12 && all.compactMap(\.1).map(\.contactID) == [3])
            #expect(all.allSatisfy { $0.2.name == "Köln" })
        }
    }

    @Test func whatAQueryFindsIsChangedAndDeleted() async throws {
        try await store().write { db in
            let limit = Date(timeIntervalSinceReferenceDate: 1)
            try Contact.insert(Contact(name: "C", age: 1, lastSeen: limit), in: db)

            try Contact.where { $0.city == "Bonn" }
                .update(in: db) { [$0.city.set("Köln"), $0.moves.set($0.moves + 1)] }
            try Contact.where { $0.lastSeen < limit }.delete(in: db)

            let left = Contact(id: 61, name: "C", age: 1, city: "Köln", moves: 1, lastSeen: limit)
            #expect(try Contact.all(in: db) == [left])
        }
    }
}

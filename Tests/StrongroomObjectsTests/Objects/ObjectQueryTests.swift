import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("Asking a type for its objects", .ending)
struct ObjectQueryTests {
    private func withPeople(_ work: @Sendable (ObjectHome) async throws -> Void) async throws {
        try await ObjectHome.run { home async throws in
            // In the order of the keys: age 0…4 again and again, and names that go down.
            var people = (0..<20).map { Player(name: "p\(19 - $0 / 2)", age: $0 % 5, email: "\($0)") }
            try await people.save()
            try await work(home)
        }
    }

    private func keys(_ people: [Player]) -> [Int64] { people.compactMap(\.id) }

    @Test func byAConditionOrAText() async throws {
        try await withPeople { home async throws in
            #expect(keys(try await Player.all()) == Array(1...20))
            #expect(keys(try await Player.all { $0.age == 4 }) == [5, 10, 15, 20])
            let (low, name) = (3, "p1")
            let found = try await Player.all(where: "age BETWEEN {%d, 4} AND name BEGINSWITH[c] %@", low, name)
            #expect(keys(found) == [4, 5, 9, 10, 14, 15, 19, 20])
            #expect(keys(try await Player.all(where: "age = \(low) OR email = '0'")) == [1, 4, 9, 14, 19])
            let query = try Player.where(#Predicate { $0.age == 4 }).order { $0.id.descending }
            #expect(keys(try await Player.all(query)) == [20, 15, 10, 5])
            try await expectFailure(.invalidPredicate) { try await Player.all(where: "height > 3") }
        }
    }

    @Test func sorted() async throws {
        try await withPeople { home async throws in
            let byAge = try await Player.all(
                where: { $0.age < 2 }, orderBy: { $0.age.descending }, { $0.name.ascending })
            #expect(byAge.map(\.age) == [1, 1, 1, 1, 0, 0, 0, 0])
            #expect(keys(byAge) == [17, 12, 7, 2, 16, 11, 6, 1])
            #expect(keys(try await Player.all(orderBy: { $0.name.ascending }).suffix(2)) == [1, 2])
        }
    }

    @Test func onePerGroup() async throws {
        try await withPeople { home async throws in
            #expect(keys(try await Player.all(groupBy: { $0.age })) == [1, 2, 3, 4, 5])
            #expect(keys(try await Player.all(where: { $0.id > 6 }, groupBy: { $0.age })) == [7, 8, 9, 10, 11])
            let grouped = try await Player.all(
                where: "id > 6", orderBy: { $0.age.descending }, groupBy: { $0.age }, page: 1, size: 2)
            #expect(keys(grouped) == [8, 7])
            #expect(try await Player.all(groupBy: { $0.age }, { $0.name }).count == 20)
        }
    }

    @Test func onePerGroupOfAKeyOfSeveralColumns() async throws {
        try await ObjectHome.run { _ async throws in
            var squares = [(2, 1, "a"), (1, 9, "a"), (1, 3, "a"), (5, 5, "b"), (4, 9, "b")]
                .map { Square(row: $0, column: $1, group: $2) }
            try await squares.save()
            var square = Square(row: 0, column: 7, group: "c")
            try await square.save(persistence: .memory)
            let found = try await Square.all(where: { $0.row < 5 }, groupBy: { $0.group })
            #expect(found.map { [$0.row, $0.column] } == [[0, 7], [1, 3], [4, 9]])
        }
    }

    @Test func pageByPage() async throws {
        try await withPeople { home async throws in
            var pages: [[Int64]] = []
            while true {
                let page = try await Player.all(where: { $0.age > 0 }, page: pages.count, size: 6)
                guard !page.isEmpty else { break }
                pages.append(keys(page))
            }
            #expect(pages.map(\.count) == [6, 6, 4])
            let keys = (1...20).filter { (key: Int64) in key % 5 != 1 }
            #expect(pages.flatMap(\.self) == keys)
            #expect(try await Player.all(page: .max, size: 6) == [])
            #expect(try await Player.all(page: 0, size: 0) == [])
        }
    }

    @Test func theFirstTheNumberAndTheKey() async throws {
        try await withPeople { home async throws in
            #expect(try await Player.first()?.id == 1)
            #expect(try await Player.first(orderBy: { $0.name.ascending }, { $0.id.descending })?.id == 20)
            #expect(try await Player.first { $0.age == 3 }?.id == 4)
            #expect(try await Player.first(where: "age = 3", orderBy: { $0.id.descending })?.id == 19)
            #expect(try await Player.first(where: "age = 30") == nil)
            #expect(try await Player.count() == 20)
            #expect(try await Player.count { $0.age == 3 } == 4)
            #expect(try await Player.count(where: "age = %d", 3) == 4)
            #expect(try await Player.find(7)?.email == "6")
            #expect(try await Player.find(70) == nil)
        }
    }

    @Test func theyAreDeletedByAConditionOrAll() async throws {
        try await withPeople { home async throws in
            #expect(try await Player.deleteAll { $0.age == 3 } == 4)
            #expect(try await Player.deleteAll(where: "age = %d AND id > 10", 4) == 2)
            #expect(try await Player.count() == 14)
            #expect(try await Player.truncate() == 14)
            #expect(try await Player.truncate() == 0)
            var ada = Player(name: "Ada")
            try await ada.save()
            #expect(ada.id == 1)
        }
    }
}

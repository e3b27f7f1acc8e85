import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

@Suite("The examples of \"Predicates as text\"")
struct PredicatesAsTextExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var age: Int
        var email: String?
    }

    private func store() async throws -> Store {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            try Contact.insert(
                contentsOf: [
                    Contact(name: "Grace", age: 30, email: "g@example.com"), Contact(name: "ada", age: 18),
                    Contact(name: "Adam", age: 31), Contact(name: "Bob", age: 20, email: "b@example.org"),
                ], in: db)
        }
        return store
    }

    @Test func aTextSaysWhatTheClosureSays() async throws {
        let prefix = "Ad"
        try await store().read { db in
            let found = try Contact.where(
                "age BETWEEN {18, 30} AND (name BEGINSWITH[c] %@ OR NOT email LIKE '*@example.org')", prefix
            ).order { $0.name.ascending }.fetch(in: db)

            #expect(found.map(\.name) == ["Grace", "ada"])
        }
    }

    @Test func whatIsInterpolatedIsAValue() async throws {
        let (limit, prefix) = (31, "Ad")
        try await store().read { db in
            let same = try Contact.where("age BETWEEN {18, \(limit)} AND name BEGINSWITH[c] \(prefix)").fetch(in: db)

            #expect(same.map(\.name) == ["ada", "Adam"])
        }
    }

    @Test func aPredicateOfSwift() async throws {
        try await store().read { db in
            let adults = try Contact.where(#Predicate { $0.age >= 18 && $0.name.starts(with: "A") }).fetch(in: db)

            #expect(adults.map(\.name) == ["Adam"])
        }
    }

    @Test func theMessageShowsThePlace() throws {
        let shown = try #require(try Documentation.examples(of: "PredicatesAsText.md").first { $0.language.isEmpty })
        let error = #expect(throws: StrongroomError.self) { try Contact.where("name == 'Ada' AND agee > 18") }
        #expect(error?.code == .invalidPredicate)
        #expect(error?.message == shown.text)
    }
}

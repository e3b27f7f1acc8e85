import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Generated keys in the records of the caller")
struct KeysInRecordsTests {
    @Table("task")
    struct Job: Equatable {
        var id: Int64?
        @Column(unique: true) var code: String
        var runs = 0

        static let hooks: RecordHooks<Job>? = RecordHooks().willSave { job, _ in job.runs += 1 }
    }

    @Table("token")
    struct Token: Equatable {
        var id: UUID?
        var text: String
    }

    private func store() async throws -> Store {
        try await Store.inMemory(Contact.self, Job.self, Token.self)
    }

    @Test func aListIsInsertedInATransaction() async throws {
        try await store().write { db in
            var contacts = Contact.samples(40)
            contacts[7].id = 1_000
            try Contact.save(contentsOf: &contacts, .insert, in: db)
            #expect(contacts[6].id == 7 && contacts[7].id == 1_000 && contacts[8].id == 1_001)
            #expect(try Contact.all(in: db).map(\.id) == contacts.map(\.id).sorted { $0 ?? 0 < $1 ?? 0 })
            var tokens = [Token(text: "a"), Token(text: "b")]
            try Token.save(contentsOf: &tokens, .insert, in: db)
            #expect(try Set(tokens.compactMap(\.id)).count == 2 && Set(Token.all(in: db)) == Set(tokens))
            var none: [Contact] = []
            try Contact.save(contentsOf: &none, .insert, in: db)
            #expect(none.isEmpty)
        }
    }

    @Test func aListIsInsertedInAWriteOfAValue() async throws {
        let store = try await store()
        var jobs = [Job(code: "a"), Job(code: "b")]
        try await store.write(&jobs) { db, jobs in try Job.save(contentsOf: &jobs, .insert, in: db) }
        #expect(jobs == [Job(id: 1, code: "a", runs: 1), Job(id: 2, code: "b", runs: 1)])
        #expect(try await store.table(Job.self).all() == jobs)
    }

    @Test func aFailedInsertLeavesTheListAsItIs() async throws {
        let store = try await store()
        try await store.write { db in try Job.insert(Job(code: "b"), in: db) }
        let before = [Job(code: "a"), Job(code: "b")]
        var jobs = before
        let error = await #expect(throws: StrongroomError.self) {
            try await store.write(&jobs) { db, jobs in try Job.save(contentsOf: &jobs, .insert, in: db) }
        }
        #expect(error?.code == .constraint && jobs == before)
        var contacts = [Contact(email: "x"), Contact(email: "x")]
        let first = contacts
        await #expect(throws: StrongroomError.self) {
            try await store.write { db in
                var copy = first
                defer { #expect(copy == first) }
                try Contact.save(contentsOf: &copy, .insert, in: db)
            }
        }
        await #expect(throws: StrongroomError.self) {
            try await store.write(&contacts) { db, contacts in try Contact.save(contentsOf: &contacts, .insert, in: db)
            }
        }
        #expect(contacts == first)
        #expect(try await store.table(Job.self).count() == 1)
    }

    @Test func anUpsertSetsTheKeyOfTheRow() async throws {
        try await store().write { db in
            var job = Job(code: "a")
            #expect(try Job.save(&job, .by(\.code), in: db) == .inserted)
            #expect(job == Job(id: 1, code: "a", runs: 1))
            var same = Job(id: 77, code: "a", runs: 5)
            #expect(try Job.save(&same, .by(\.code), in: db) == .updated)
            #expect(same == Job(id: 1, code: "a", runs: 6))
            #expect(try Job.all(in: db) == [same])
            var jobs = [Job(code: "b"), Job(code: "a"), Job(code: "b")]
            let rows = try Job.save(contentsOf: &jobs, .by(\.code), in: db)
            #expect(rows == [.inserted, .updated, .updated])
            #expect(jobs.map(\.id) == [2, 1, 2] && jobs.map(\.runs) == [1, 1, 1])
            var contact = Contact(email: "a")
            #expect(try Contact.save(&contact, in: db) == .inserted && contact.id == 1)
            contact.name = "Grace"
            #expect(try Contact.save(&contact, in: db) == .updated)
            var contacts = [contact, Contact(email: "b")]
            #expect(try Contact.save(contentsOf: &contacts, in: db) == [.updated, .inserted])
            #expect(contacts.map(\.id) == [1, 2])
            var clash = [Contact(id: 1, email: "b"), Contact(email: "new")]
            let before = clash
            try expectFailure(.constraint) { try Contact.save(contentsOf: &clash, in: db) }
            #expect(clash == before)
        }
    }
}

extension KeysInRecordsTests.Token: Hashable {}

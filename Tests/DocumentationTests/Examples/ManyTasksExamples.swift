import Logging
import Strongroom
import StrongroomTesting
import Synchronization
import Testing

@Suite("The examples of \"Many tasks on one store\"")
struct ManyTasksExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
        var phone: String?
        var calls = 0
    }

    /// To whom contacts are sent.
    private final class Receiver: Sendable {
        private let received = Mutex<[Contact]>([])
        var names: [String] { received.withLock { $0.map(\.name) } }
        func take(_ contact: Contact) { received.withLock { $0.append(contact) } }
    }

    /// A number that is shown somewhere.
    private final class Badge: Sendable {
        let shown: AsyncStream<Int>
        private let continuation: AsyncStream<Int>.Continuation
        init() { (shown, continuation) = AsyncStream.makeStream() }
        func show(_ count: Int) async { continuation.yield(count) }
    }

    private struct AddressBook: Configuration {
        static let target = "addressbook"

        func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }

        func logger(for database: DatabaseName) -> Logger? { Logger(label: "addressbook") }
        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(slowStatement: .milliseconds(200)) }
    }

    private let receiver = Receiver()

    private func send(_ contact: Contact) async throws { receiver.take(contact) }

    /// Three contacts: Ada, who has a phone, Bob, and Cleo, who has one and was called.
    private func store() async throws -> Store {
        let store = try await TemporaryStore(tables: [Contact.schema]).store
        try await store.write { db in
            try Contact.insert(
                contentsOf: [
                    Contact(name: "Ada", phone: "030"), Contact(name: "Bob"),
                    Contact(name: "Cleo", phone: "031", calls: 1),
                ], in: db)
        }
        return store
    }

    @Test func aWriteThatMustNotShare() async throws {
        let store = try await store()

        try await store.write(as: .immediate) { db in try Contact.where { $0.calls == 0 }.delete(in: db) }

        #expect(try await store.table(Contact.self).all().map(\.name) == ["Cleo"])
    }

    @Test func aReadWithALimit() async throws {
        let store = try await store()
        @Sendable func makeReport(_ db: borrowing ReadTransaction) throws -> Int { try Contact.count(in: db) }

        let report = try await store.read(label: "the report", timeout: .seconds(2)) { db in try makeReport(db) }

        #expect(report == 3)
        let error = await #expect(throws: StrongroomError.self) {
            try await store.read(label: "a long one", timeout: .milliseconds(1)) { db in
                let endless: SQL = "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
                _ = try db.value(endless, as: Int.self)
            }
        }
        #expect(error?.code == .timedOut)
    }

    @Test func readingWithoutAChangeOfThread() async throws {
        let store = try await store()
        let ids: [Int64] = [1, 3, 5]

        try await withTaskExecutorPreference(store.executor) {
            for id in ids {
                if let contact = try await store.table(Contact.self).find(id) { try await send(contact) }
            }
        }

        #expect(receiver.names == ["Ada", "Cleo"])
    }

    @Test func manyRecordsOneAfterTheOther() async throws {
        let store = try await store()

        for try await contact in store.stream(Contact.where { $0.phone != nil }) {
            try await send(contact)
        }

        #expect(receiver.names == ["Ada", "Cleo"])
    }

    @Test func whatHasChanged() async throws {
        let store = try await store()
        let badge = Badge()
        let task = Task {
            for try await count in store.values({ db in try Contact.count(in: db) }) {
                await badge.show(count)
            }
        }
        var shown = badge.shown.makeAsyncIterator()
        #expect(await shown.next() == 3)
        try await store.write { db in try Contact.insert(Contact(name: "Dan"), in: db) }
        #expect(await shown.next() == 4)
        task.cancel()
        _ = await task.result
    }

    @Test func aConfigurationHasALoggerAndSaysWhatIsSlow() throws {
        let name = try DatabaseName("addressbook.sqlite")
        #expect(AddressBook().logger(for: name)?.label == "addressbook")
        #expect(AddressBook().settings(for: name).slowStatement == .milliseconds(200))
    }
}

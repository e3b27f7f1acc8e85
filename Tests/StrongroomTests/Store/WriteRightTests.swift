// The moment of a commit cannot be had from outside.
@testable import Strongroom
import StrongroomTesting
import Testing

/// The right to write may end while a write is committed.
@Suite struct WriteRightTests {
    /// Does something when a commit has begun, which nothing keeps from ending.
    private final class DuringCommit: StatementObserver {
        private let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }

        func willRun(_ statement: Statement, isOwn: Bool) {
            if statement.sql == "COMMIT" { body() }
        }
    }

    private static let late = StrongroomError(.notOwner, "The lease has ended.")

    private static var ahead: WriteDeadline {
        WriteDeadline(instant: .now + .seconds(3_600), time: WriteDeadline.time + 3_600_000)
    }

    @Test(arguments: [WriteKind.shared, .immediate, .deferred])
    func `a write that is committed too late is not acknowledged, and its error says where it is`(
        kind: WriteKind
    ) async throws {
        let store = try await TemporaryStore().store
        try await store.write { db in try db.execute("CREATE TABLE line (text TEXT)") }
        store.allowWrites(until: Self.ahead, then: Self.late)
        let error = await #expect(throws: StrongroomError.self) {
            try await store.write(as: kind) { db in
                db._handle.connection.observers.append(
                    DuringCommit { store.allowWrites(until: nil, then: Self.late) })
                try db.execute("INSERT INTO line VALUES ('first')")
            }
        }
        #expect(error?.code == .notOwner)
        #expect(error?.message.contains("it is in this file") == true)
        #expect(error?.message.contains(Self.late.message) == true)
        // Nothing is in the file of a write that begins later.
        let next = await #expect(throws: StrongroomError.self) {
            try await store.write(as: kind) { db in try db.execute("INSERT INTO line VALUES ('next')") }
        }
        #expect(next?.message == Self.late.message)
        store.allowWrites(until: Self.ahead, then: Self.late)
        try await store.write(as: kind) { db in
            db._handle.connection.observers.removeAll { $0 is DuringCommit }
            try db.execute("INSERT INTO line VALUES ('last')")
        }
        #expect(try await store.value("SELECT group_concat(text) FROM line", as: String.self) == "first,last")
        try await store.close()
    }
}

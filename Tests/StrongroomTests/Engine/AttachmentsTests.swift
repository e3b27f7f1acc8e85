import Testing

// Internal: programs have no connection of their own.
@testable import Strongroom

@Suite("What upper layers remember of a connection")
struct AttachmentsTests {
    private final class Number {
        var value: Int
        init(_ value: Int) { self.value = value }
    }

    private final class Word {}

    @Test func `there is one object a type`() {
        var attachments = Attachments()
        #expect(attachments[Number.self] == nil)
        attachments[Number.self] = Number(1)
        attachments[Word.self] = Word()
        attachments[Number.self] = Number(2)
        #expect(attachments[Number.self]?.value == 2)
        #expect(attachments.object(Number(3)).value == 2)
        attachments[Number.self] = nil
        #expect(attachments[Number.self] == nil && attachments[Word.self] != nil)
        #expect(attachments.object(Number(3)).value == 3)
    }

    @Test func `what a transaction carries ends with it or with a part of it that is undone`() throws {
        let connection = try Connection(path: ":memory:", mode: .create, database: "memory")
        defer { connection.close() }
        connection.attachments[Word.self] = Word()
        try connection.inTransaction(.immediate) {
            connection.transaction.attachments[Number.self] = Number(1)
            try connection.inSavepoint {}
            #expect(connection.transaction.attachments[Number.self] != nil)
            try? connection.inSavepoint { throw CancellationError() }
            #expect(connection.transaction.attachments[Number.self] == nil)
            connection.transaction.attachments[Number.self] = Number(2)
        }
        try connection.inTransaction(.immediate) {
            #expect(connection.transaction.attachments[Number.self] == nil)
        }
        connection.statements.attachments[Number.self] = Number(3)
        connection.forgetUserStatements()
        #expect(connection.statements.attachments[Number.self] == nil && connection.attachments[Word.self] != nil)
    }
}

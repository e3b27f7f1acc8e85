// The cache cannot be seen from outside: a statement that was prepared anew gives the same rows.
@testable import Strongroom
import Testing

struct StatementCacheTests {
    private static func makeConnection() throws -> Connection {
        try Connection(path: ":memory:", mode: .create, database: "memory")
    }

    @Test func aStatementIsPreparedOnceAndReused() throws {
        let connection = try Self.makeConnection()
        let first = try connection.statement("SELECT ?1")
        first.finish()
        for _ in 1...3 {
            let again = try connection.statement("SELECT ?1")
            #expect(again === first)
            again.finish()
        }
        let other = try connection.statement("SELECT ?1 ")
        #expect(other !== first)
    }

    @Test func aTablesStatementIsMadeOnceForEachTableAndOperation() throws {
        let connection = try Self.makeConnection()
        var made = 0
        func statement(_ type: Any.Type, _ operation: Int) throws -> Statement {
            let statement = try connection.statement(OperationKey(type, operation)) {
                made += 1
                return ("SELECT \(made)", [])
            }
            statement.finish()
            return statement
        }
        let first = try statement(Contact.self, 0)
        #expect(try statement(Contact.self, 0) === first)
        #expect(made == 1)
        #expect(try statement(Contact.self, 1) !== first)
        #expect(try statement(Named.self, 0) !== first)
        #expect(made == 3)
    }

    /// More queries than are remembered; the last two differ only in Unicode composition.
    @Test func aQuerysStatementIsThatOfItsTexts() throws {
        let connection = try Self.makeConnection()
        func statement(_ operation: Int, _ condition: String, _ rest: String) throws -> Statement {
            try connection.statement(of: OperationKey(Contact.self, operation), condition: condition, rest: rest) {
                "SELECT '\(operation) \(condition)'\(rest)"
            }
        }
        let queries = [
            (0, "", ""), (0, "", " LIMIT 1"), (1, "", ""), (1, "", " LIMIT 1"), (1, "\u{E9}", ""), (1, "e\u{301}", ""),
        ]
        for index in [0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0, 4, 4] {
            let (operation, condition, rest) = queries[index]
            let first = try statement(operation, condition, rest)
            let text = "SELECT '\(operation) \(condition)'\(rest)"
            #expect(Array(first.sql.utf8) == Array(text.utf8))
            // In use.
            let second = try statement(operation, condition, rest)
            #expect(second !== first)
            #expect(Array(second.sql.utf8) == Array(text.utf8))
            second.finish()
            first.finish()
        }
        // One statement for a loop.
        let again = try statement(1, "\u{E9}", "")
        again.finish()
        #expect(try statement(1, "\u{E9}", "") === again)
    }

    @Test func theOldestStatementsAreDroppedAndTheNewestKept() throws {
        let connection = try Self.makeConnection()
        let early = try connection.statement("SELECT 'early'")
        early.finish()
        let often = try connection.statement("SELECT 'often'")
        often.finish()
        for number in 0..<600 {
            try connection.statement("SELECT \(number)").finish()
            try connection.statement("SELECT 'often'").finish()
        }
        #expect(try connection.statement("SELECT 'often'") === often)
        #expect(try connection.statement("SELECT 'early'") !== early)
    }

    @Test func theLibrarysOwnStatementsAreNotTheUsers() throws {
        let connection = try Self.makeConnection()
        try connection.run("PRAGMA query_only = ON")
        try expectFailure(.notAuthorized) { try connection.statement("PRAGMA query_only = ON") }
        try connection.run("PRAGMA query_only = OFF")
    }
}

struct ResultCodeTests {
    @Test(
        arguments: [
            (1, .sql), (3, .permissionDenied), (5, .busy), (6, .busy), (7, .outOfMemory), (8, .readOnly),
            (9, .interrupted),
            (10, .inputOutput), (11, .damaged), (13, .diskFull), (14, .permissionDenied), (17, .sql), (18, .limit),
            (19, .constraint), (20, .typeMismatch), (23, .notAuthorized), (25, .invalidArgument), (26, .notADatabase),
            (21, .engine),
        ] as [(Int32, StrongroomError.Code)])
    func everyResultHasItsCodeAlsoInItsExtendedForm(number: Int32, code: StrongroomError.Code) {
        #expect(StrongroomError.Code(ResultCode(extended: number)) == code)
        #expect(StrongroomError.Code(ResultCode(extended: number | 7 << 8)) == code)
        #expect(ResultCode(extended: number | 7 << 8).primary == number)
    }
}

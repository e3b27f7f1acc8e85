// The cache cannot be seen from outside: a statement that was prepared anew gives the same rows.
@testable import Strongroom
import Testing

struct StatementCacheTests {
    private static func makeConnection() throws -> Connection {
        try Connection(path: ":memory:", mode: .create, database: "memory")
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

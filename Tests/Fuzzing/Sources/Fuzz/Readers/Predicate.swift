@testable import Strongroom
@testable import StrongroomObjects

extension Reader {
    /// A predicate as text.
    static let predicate = Reader("predicate", longest: 1 << 12) { input in
        let count = Int(input.byte() % 4)
        let arguments = (0..<count).map { _ in Arguments.all[Int(input.byte()) % Arguments.all.count] }
        do {
            let condition = try Condition(PredicateFormat(input.text(), arguments: arguments), in: Sample.self)
            try Database.shared.connection.withOwnStatement(
                "SELECT count(*) FROM sample WHERE \(condition.sql.text)", condition.sql.values
            ) { statement in
                while try statement.step() {}
            }
        } catch let error as StrongroomError {
            // The engine takes at most 999 values.
            if error.code == .sql, error.message.contains("too many SQL variables") { throw error }
            let expected: [StrongroomError.Code] = [.invalidPredicate, .notTranslatable, .valueNotStorable]
            require(expected.contains(error.code), "what is no predicate is refused before SQL: \(error.code)")
            throw error
        }
    }
}

private enum Arguments {
    static let all: [(any Sendable)?] = [
        nil, 1, "name", "*\\?_%", 2.5, Double.infinity, true, [1, 2] as [Int], 1...2, "a"..<"c", [UInt8]([1, 255]),
        Int8.min, UInt64.max, SQLValue.null, ["x", nil] as [String?],
    ]
}

private enum Database {
    static let shared: MemoryDatabase = {
        let columns = Sample.schema.columns.map { "\(Identifier.quote($0.name)) \($0.declaredType)" }
        return MemoryDatabase(
            "CREATE TABLE sample (\(columns.joined(separator: ", ")))", "INSERT INTO sample (id) VALUES (1)")
    }()
}

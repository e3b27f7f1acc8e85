import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

/// Random texts as predicates: none crashes, none reaches SQL unbound, and what is well formed is the typed condition.
struct RandomFormatTests {
    private static let seed = UInt64.random(in: 0...UInt64.max)

    @Test func randomTextIsRefusedOrBoundInSQLThatRuns() async throws {
        print("seed of randomTextIsRefusedOrBoundInSQLThatRuns: \(Self.seed)")
        var generator = SeededGenerator(Self.seed)
        let store = try await TemporaryStore(tables: [Person.schema]).store
        try await store.write { db in
            for _ in 0..<3 { _ = try Person.insert(Person(), in: db) }
        }
        var conditions: [Condition] = []
        for _ in 0..<20_000 {
            let text = RandomFormat.text(&generator)
            let arguments = RandomFormat.arguments(for: text, &generator)
            do {
                conditions.append(try Condition(PredicateFormat(text, arguments: arguments), in: Person.self))
            } catch let error as StrongroomError {
                try #require(Self.isWellTold(error), "\(text.debugDescription): \(error)")
            }
        }
        #expect(conditions.count > 1000, "too few of the texts are predicates")
        for condition in conditions {
            try #require(condition.sql.holdsNoText, "\(condition.sql.text)")
        }
        let made = conditions
        try await store.read { db in
            for condition in made { _ = try Person.where { _ in condition }.count(in: db) }
        }
    }

    private static func isWellTold(_ error: StrongroomError) -> Bool {
        let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false)
        return [.invalidPredicate, .notTranslatable, .valueNotStorable].contains(error.code)
            && (error.code == .valueNotStorable || lines.count == 3 && lines[2].last == "^")
    }

    @Test func aRandomPredicateIsTheTypedCondition() throws {
        print("seed of aRandomPredicateIsTheTypedCondition: \(Self.seed)")
        var generator = SeededGenerator(Self.seed)
        for _ in 0..<3_000 {
            let (text, typed) = TypedFormat.tree(4, &generator)
            let made = try Condition(PredicateFormat(text), in: Person.self)
            try #require(made == typed, "\(text)")
        }
    }

    @Test func oneTextIsParsedByManyTasksAtOnce() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    try (0..<500).allSatisfy { turn in
                        let made = try Condition("age == \(turn) AND age != %@", task, in: Person.self)
                        let other = try Condition(PredicateFormat("age < \(turn)"), in: Person.self)
                        return made.sql.values == [.integer(Int64(turn)), .integer(Int64(task))]
                            && other.sql.values == [.integer(Int64(turn))]
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}

/// Texts made of what stands in predicates, in any order.
private enum RandomFormat {
    private static let pieces = [
        "age", "name", "nickname", "score", "isActive", "born", "kind", "small", "price", "token", "photo", "tags",
        "extra",
        "#in", "agee", "==", "=", "!=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN", "BEGINSWITH", "ENDSWITH",
        "CONTAINS",
        "LIKE", "MATCHES", "[c]", "[d]", "[", "]", "AND", "OR", "NOT", "&&", "||", "!", "(", ")", "{", "}", ",", "TRUE",
        "FALSE", "NIL", "0", "1", "-3", "2.5", "1e9", "'x'", "\"y\"", "'", "\"", "\\", "'\\u00e9'", "'a*?%_['", "%@",
        "%d",
        "%f", "%K", "%", "'; DROP TABLE person; --'", "; DROP TABLE person; --", "`", "\u{FFFC}", "\0", "é", "\n", "*",
        ".",
        "'\0'", "/*", "--", "ROWID", "sqlite_master",
    ]

    static func text(_ generator: inout SeededGenerator) -> String {
        let form = Int.random(in: 0..<4, using: &generator)
        if form == 0 { return damaged(&generator) }
        let parts = (0...Int.random(in: 0...2, using: &generator)).map { _ in
            form == 1 ? soup(&generator) : comparison(&generator)
        }
        let joint = ["AND", "OR NOT", "&& !", "||"].randomElement(using: &generator) ?? ""
        return parts.joined(separator: " \(joint) ")
    }

    /// A predicate with a few pieces lost, put in or put elsewhere.
    private static func damaged(_ generator: inout SeededGenerator) -> String {
        var scalars = Array(TypedFormat.tree(2, &generator).text.unicodeScalars)
        for _ in 0..<Int.random(in: 0...3, using: &generator) where !scalars.isEmpty {
            let place = Int.random(in: 0..<scalars.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: scalars.removeSubrange(place..<min(place + 3, scalars.count))
            case 1: scalars.insert(contentsOf: piece(pieces, &generator).unicodeScalars, at: place)
            default: scalars.swapAt(place, Int.random(in: 0..<scalars.count, using: &generator))
            }
        }
        return scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    private static func soup(_ generator: inout SeededGenerator) -> String {
        (0...Int.random(in: 0...8, using: &generator)).map { _ in piece(pieces, &generator) }
            .joined(separator: [" ", ""].randomElement(using: &generator) ?? "")
    }

    /// What is often right.
    private static func comparison(_ generator: inout SeededGenerator) -> String {
        let operands = [
            "age", "name", "nickname", "score", "kind", "extra", "%K", "3", "'x'", "%@", "NIL", "born", "tags",
        ]
        let signs = [
            "==", "!=", "<", ">=", "BEGINSWITH", "CONTAINS[c]", "LIKE", "LIKE[c]", "==[c]", "ENDSWITH", "IN", "BETWEEN",
        ]
        let sign = piece(signs, &generator)
        let lists = ["{1, 2}", "{'a', %@}", "{}", "%@", "{NIL, 1.5}", "{%d, %f}"]
        let right = piece(sign == "IN" || sign == "BETWEEN" ? lists : operands, &generator)
        return "\(piece(operands, &generator)) \(sign) \(right)"
    }

    /// Mostly as many as the text has places for.
    static func arguments(for text: String, _ generator: inout SeededGenerator) -> [(any Sendable)?] {
        let places = text.split(separator: "%", omittingEmptySubsequences: false).count - 1
        let count = Int.random(in: 0..<9, using: &generator) == 0 ? 1 : places
        return (0..<count).map { _ in
            switch Int.random(in: 0..<9, using: &generator) {
            case 0: "age"
            case 1: "'; DROP TABLE person; --"
            case 2: 3
            case 3: 2.5
            case 4: [1, 2]
            case 5: ["a", "b"]
            case 6: Date(timeIntervalSinceReferenceDate: 1)
            case 7: 1...4
            default: nil
            }
        }
    }

    private static func piece(_ list: [String], _ generator: inout SeededGenerator) -> String {
        list.randomElement(using: &generator) ?? ""
    }
}

extension SQL {
    /// Whether it is made of the table's columns, of the library's own words and of places for values.
    fileprivate var holdsNoText: Bool {
        let names = Set(Person.schema.columns.map { "`\($0.name.replacing("`", with: "``"))`" })
        var rest = text.replacing("ESCAPE '\\'", with: "").replacing("SELECT +value FROM", with: "SELECT value FROM")
        for name in names.sorted(by: { $0.count > $1.count }) { rest = rest.replacing(name, with: " ") }
        let words = rest.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let signs = rest.filter { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return words.allSatisfy { Self.words.contains(String($0)) } && signs.allSatisfy { " ()?,<>=-".contains($0) }
            && signs.filter { $0 == "?" }.count == values.count
    }

    private static let words: Set<String> = [
        "AND", "OR", "NOT", "IS", "NULL", "IN", "BETWEEN", "LIKE", "GLOB", "CAST", "AS", "BLOB", "SELECT", "value",
        "FROM",
        "substr", "length", "instr", "lower", "strongroom_list", "0", "1",
    ]
}

/// A predicate twice: as text and as the closure would make it.
private enum TypedFormat {
    typealias Made = (text: String, condition: Condition)

    static func tree(_ depth: Int, _ generator: inout SeededGenerator) -> Made {
        guard depth > 0 else { return comparison(&generator) }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            let (one, other) = (tree(depth - 1, &generator), tree(depth - 1, &generator))
            return ("(\(one.text)) \(spelt("AND", "&&", &generator)) (\(other.text))", one.condition && other.condition)
        case 1:
            let (one, other) = (tree(depth - 1, &generator), tree(depth - 1, &generator))
            return ("(\(one.text))\(spelt(" or ", "||", &generator))(\(other.text))", one.condition || other.condition)
        case 2:
            let one = tree(depth - 1, &generator)
            return ("\(spelt("NOT ", "!", &generator))(\(one.text))", !one.condition)
        case 3:
            // Without parentheses: AND binds more than OR.
            let parts = (0..<3).map { _ in comparison(&generator) }
            return (
                "\(parts[0].text) OR \(parts[1].text) AND \(parts[2].text)",
                parts[0].condition || parts[1].condition && parts[2].condition
            )
        default: return comparison(&generator)
        }
    }

    private static func spelt(_ word: String, _ sign: String, _ generator: inout SeededGenerator) -> String {
        generator.next().isMultiple(of: 2) ? word : sign
    }

    private static func comparison(_ generator: inout SeededGenerator) -> Made {
        let columns = Person.columns
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return compared("age", columns.age, Int.random(in: -9...9, using: &generator), &generator) { "\($0)" }
        case 1: return compared("score", columns.score, generator.smallFinite(), &generator) { "\($0 ?? 0)" }
        case 2: return compared("name", columns.name, generator.text(upTo: 4), &generator) { quoted($0) }
        case 3: return compared("nickname", columns.nickname, generator.text(upTo: 4), &generator) { quoted($0 ?? "") }
        case 4:
            let words = (0..<Int.random(in: 0...40, using: &generator)).map { _ in generator.text(upTo: 3) }
            return ("name IN {\(words.map(quoted).joined(separator: ", "))}", columns.name.isIn(words))
        default: return search(&generator)
        }
    }

    private static func compared<V: ColumnValue>(
        _ name: String, _ column: Column<V>, _ value: V, _ generator: inout SeededGenerator, _ text: (V) -> String
    ) -> Made {
        let text = text(value)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return ("\(name) = \(text)", column == value)
        case 1: return ("\(text)!=\(name)", column != value)
        case 2: return ("\(name) < \(text)", column < value)
        case 3: return ("\(text) < \(name)", column > value)
        case 4: return ("\(name)>= \(text)", column >= value)
        case 5: return ("\(text)>=\(name)", column <= value)
        case 6: return ("\(name) between {\(text),\(text)}", column.isBetween(value, and: value))
        default: return ("\(name) IN {\(text)}", column.isIn([value]))
        }
    }

    private static func search(_ generator: inout SeededGenerator) -> Made {
        let (column, part) = (Person.columns.nickname, generator.text(upTo: 3))
        let folded = String(decoding: part.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return ("nickname BEGINSWITH \(quoted(part))", column.hasPrefix(part))
        case 1: return ("nickname ENDSWITH[c] \(quoted(part))", column.lowercased().hasSuffix(folded))
        case 2: return ("nickname contains \(quoted(part))", column.contains(part))
        case 3: return ("nickname == [c] \(quoted(part))", column.lowercased() == folded)
        default: return ("nickname != NIL", column != nil)
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "'", "\\": "\\\(scalar)"
            case "\u{0}"..."\u{1F}", "\u{FFFC}": "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "'\(escaped.joined())'"
    }
}

extension SeededGenerator {
    fileprivate mutating func smallFinite() -> Double? {
        [-1.5, -1, 0, 0.5, 1, 2e10, 1e300][Int.random(in: 0..<7, using: &self)]
    }
}

/// What a predicate as text finds among some rows, where no closure says the same.
struct FormatSearchTests {
    private static let names = [
        "Ada", "ada", "ÉRIC", "éric", "Éric", "A*c", "Abc", "A[c", "a?c", "A", "", "Ada\0x", "Äda", "a\\c",
    ]

    private func names(where format: PredicateFormat) async throws -> [String] {
        let store = try await TemporaryStore(tables: [Person.schema]).store
        let people = Self.names.map { name in
            var person = Person()
            person.name = name
            person.nickname = name == "" ? nil : String(name.unicodeScalars.prefix(1))
            person.email = "\(name.utf8.count % 2 == 0 ? "x" : "")@example.org"
            return person
        }
        return try await store.write { db in
            for person in people { _ = try Person.insert(person, in: db) }
            return try Person.where(format).order { $0.id.ascending }.fetch(in: db).map(\.name)
        }
    }

    @Test func onlyTheCaseOfAToZIsIgnored() async throws {
        #expect(try await names(where: "name ==[c] 'ADA'") == ["Ada", "ada"])
        #expect(try await names(where: "name ==[c] 'éRIC'") == ["éric"])
        #expect(try await names(where: "name BEGINSWITH[c] 'ÉR'") == ["ÉRIC", "Éric"])
        #expect(try await names(where: "name LIKE[c] 'é*'") == ["éric"])
        #expect(try await names(where: "name ENDSWITH[c] 'RIC'") == ["ÉRIC", "éric", "Éric"])
        #expect(try await names(where: "name CONTAINS[c] 'D'") == ["Ada", "ada", "Ada\0x", "Äda"])
    }

    @Test func caseCountsWithoutIt() async throws {
        #expect(try await names(where: "name LIKE 'A*'") == ["Ada", "A*c", "Abc", "A[c", "A", "Ada\0x"])
        #expect(try await names(where: "name CONTAINS 'DA'") == [])
        #expect(try await names(where: "name BEGINSWITH 'a'") == ["ada", "a?c", "a\\c"])
    }

    @Test func aPatternFitsTheWholeText() async throws {
        #expect(try await names(where: "name LIKE 'A?c'") == ["A*c", "Abc", "A[c"])
        #expect(try await names(where: "name LIKE[c] 'a?c'") == ["A*c", "Abc", "A[c", "a?c", "a\\c"])
        #expect(try await names(where: "name LIKE '?ric'") == ["éric", "Éric"])
        #expect(try await names(where: "name LIKE 'A'") == ["A"])
        #expect(try await names(where: "name LIKE ''") == [""])
        #expect(try await names(where: "name LIKE '?'") == ["A"])
    }

    @Test func aCharacterOfAPatternCanMeanItself() async throws {
        #expect(try await names(where: #"name LIKE 'A\\*c'"#) == ["A*c"])
        #expect(try await names(where: #"name LIKE[c] 'A\\*c'"#) == ["A*c"])
        #expect(try await names(where: #"name LIKE 'a\\?c'"#) == ["a?c"])
        #expect(try await names(where: #"name LIKE[c] 'a\\?c'"#) == ["a?c"])
        #expect(try await names(where: #"name LIKE 'a\\\\c'"#) == ["a\\c"])
        #expect(try await names(where: #"name LIKE[c] 'A\\\\C'"#) == ["a\\c"])
        #expect(try await names(where: "name LIKE 'A[c'") == ["A[c"])
        #expect(try await names(where: "name LIKE 'A[bd]c'") == [])
        #expect(try await names(where: "name LIKE[c] 'A_c'") == [])
    }

    @Test func aPatternForSQLIsRefusedInsteadOfFindingNothing() async throws {
        for format: PredicateFormat in ["name LIKE 'A%'", "name LIKE[c] '%da'", "NOT name LIKE '%'"] {
            let error = await #expect(throws: StrongroomError.self) { try await names(where: format) }
            #expect(error?.code == .invalidPredicate)
            #expect(error?.message.contains(#"Write * for %; for texts with a percent sign, write \\% or"#) == true)
            #expect(error?.message.contains("A%") == false)
        }
    }

    @Test func aPercentSignCanBeLookedFor() async throws {
        let found = try await TemporaryStore(tables: [Person.schema]).store.write { db in
            for name in ["10%", "10%\\", "10", "100%", "10\\%"] {
                var person = Person()
                person.name = name
                person.email = name
                _ = try Person.insert(person, in: db)
            }
            let formats: [PredicateFormat] = [
                #"name LIKE '10\\%'"#, #"name LIKE[c] '10\\%'"#, "name LIKE '*0%'", "name LIKE[c] '???%'",
                "name CONTAINS '%'", "name == '10%'",
            ]
            return try formats.map { try Person.where($0).order { $0.id.ascending }.fetch(in: db).map(\.name) }
        }
        #expect(
            found == [
                ["10%"], ["10%"], ["10%", "100%"], ["100%", "10\\%"], ["10%", "10%\\", "100%", "10\\%"], ["10%"],
            ])
    }

    @Test func whatIsLookedForCanBeAProperty() async throws {
        #expect(try await names(where: "name BEGINSWITH nickname").count == Self.names.count - 1)
        #expect(try await names(where: "name ENDSWITH nickname") == ["ada", "A"])
        #expect(try await names(where: "name CONTAINS[c] nickname").count == Self.names.count - 1)
        #expect(try await names(where: "'Ada Lovelace' BEGINSWITH name") == ["Ada", "A", ""])
        #expect(try await names(where: "'xÉric' ENDSWITH name") == ["Éric", ""])
        #expect(try await names(where: "'ADA' CONTAINS[c] name") == ["Ada", "ada", "A", ""])
    }

    @Test func nothingIsNeitherFoundNorNot() async throws {
        #expect(try await names(where: "nickname == NIL") == [""])
        #expect(try await names(where: "NOT nickname LIKE 'q*' AND name == ''") == [])
        #expect(try await names(where: "NOT name BEGINSWITH nickname AND name == ''") == [])
        #expect(try await names(where: "nickname IN {'x', NIL}") == [""])
    }

    @Test func aQueryIsNarrowedAndChangedThroughIt() async throws {
        try await TemporaryStore(tables: [Person.schema]).store.write { db in
            for name in Self.names {
                var person = Person()
                person.name = name
                _ = try Person.insert(person, in: db)
            }
            let query = try Person.where { $0.id > 2 }.where("name BEGINSWITH %@", "A")
            #expect(try query.count(in: db) == 5)
            #expect(try query.delete(in: db) == 5)
            #expect(try Person.count(in: db) == Self.names.count - 5)
        }
    }

    @Test func itCombinesWithTheConditionsOfAClosure() throws {
        let isAdult = try Condition("age >= %d", 18, in: Person.self)
        let made = isAdult && Person.columns.nickname != nil
        #expect(made.sql.text == "((`age` >= ?) AND (`nickname` IS NOT NULL))")
        #expect(made.sql.values == [18])
    }
}

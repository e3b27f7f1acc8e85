import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

/// A mistake in a predicate as text is told with its column and the place, and without a value.
struct FormatMistakeTests {
    private func mistake(_ format: PredicateFormat, _ arguments: (any Sendable)?...) -> StrongroomError? {
        do {
            _ = try Condition(format.with(arguments: arguments), in: Person.self)
            return nil
        } catch {
            return error as? StrongroomError
        }
    }

    /// The column of the caret, and whether the message names it.
    private func column(_ error: StrongroomError?) -> Int? {
        guard let lines = error?.message.split(separator: "\n", omittingEmptySubsequences: false), lines.count == 3
        else {
            return nil
        }
        let column = lines[2].count - 4
        return lines[0].hasSuffix("olumn \(column):") && lines[2].hasSuffix(" ^") ? column : nil
    }

    @Test func theWholeMessage() {
        let error = mistake("name == 'Ada' AND agee > 18")
        #expect(error?.code == .invalidPredicate)
        #expect(
            error?.message == """
                There is no property "agee" in table "person"; it has id, name, nickname, email, age, small, score, \
                ratio, isActive, born, token, price, kind, photo, tags, extra, in. A text stands in quotes. Column 19:
                    name == '···' AND agee > ··
                                      ^
                """)
    }

    @Test(arguments: [
        ("", 1), ("  ", 3), ("age", 4), ("age ==", 7), ("age == 18 name", 11), ("age == == 3", 8), ("age 18", 5),
        ("(age == 18", 1), ("age == 18)", 10), ("(age == 18 name", 12), ("age == 18 AND", 14), ("AND age == 18", 1),
        ("NOT", 4), ("age & 3", 5), ("age == 3 | age == 4", 10), ("name == 'Ada", 9), ("name == \"Ada'", 9),
        ("name == 'a\\x'", 11), ("name == 'a\\u12'", 11), ("name == '\\u{D800}'", 10), ("name == '\\u{110000}'", 10),
        ("name == 'a\\*'", 11), ("name == 'a\\", 11), ("age IN {1, 2", 8), ("age IN {1 2}", 11), ("age IN {1,}", 11),
        ("age IN {{1}}", 9), ("age IN 1", 8), ("age IN name", 8), ("age IN (1, 2)", 8), ("{1} IN age", 1),
        ("age == {1}", 8), ("age BETWEEN {1}", 13), ("age BETWEEN 1 AND 2", 13), ("3 BETWEEN {1, 2}", 1),
        ("age NOT IN {1}", 5), ("age IS NULL", 5), ("age ~ 3", 5), ("age == 1.2.3", 8), ("age == 12ab", 8),
        ("age == 1e", 8), ("score == 1e999", 10), ("age == %x", 8), ("age ==[", 7), ("age ==[x] 3", 7),
        ("age ==[c] 3", 5),
        ("age !!= 3", 5), ("#== 3", 2), ("age == Ada", 8), ("%K == 3", 1), ("age == #ag", 8), ("1 == 1", 1),
        ("'x' LIKE name", 5), ("name BEGINSWITH 3", 17), ("age BEGINSWITH 'x'", 5), ("name CONTAINS NIL", 15),
        ("age < NIL", 7), ("age == NIL", 8), ("age == 'x'", 8), ("age == 1.0", 8), ("name == 3", 9),
        ("small == 300", 10),
        ("small IN {1, -1}", 14), ("isActive == 2", 13), ("isActive == 'x'", 13), ("age == TRUE", 8), ("born > 5", 8),
        ("kind == 7", 9), ("token == 'x'", 10), ("photo == 'x'", 10), ("name == nickname AND age == name", 29),
        ("age BETWEEN {1, 'x'}", 17), ("age BETWEEN {1, NIL}", 13), ("in == 3", 1), ("price == 'abc'", 10),
        ("größe == 3 AND agee == 3", 1), ("name == 'é' AND x == 3", 17), ("name == “Ada”", 9),
    ])
    func aMistakeHasItsColumn(text: String, at index: Int) {
        let error = mistake(PredicateFormat(text))
        #expect(error?.code == .invalidPredicate)
        #expect(column(error) == index, "\(error?.message ?? "none")")
    }

    @Test(arguments: [
        ("name MATCHES 'a.*'", 6), ("name LIKE[d] 'x'", 10), ("name ==[cd] 'x'", 8), ("tags == 'x'", 6),
        ("age + 1 == 3", 5), ("person.age == 3", 7),
        ("name == 'a' . b", 13),
    ])
    func whatTheEngineCannotDoIsRefusedWithAReason(text: String, at index: Int) {
        let error = mistake(PredicateFormat(text))
        #expect(error?.code == .notTranslatable)
        #expect(column(error) == index, "\(error?.message ?? "none")")
    }

    @Test func argumentsAreCounted() {
        #expect(column(mistake("age > %d AND age < %d", 1)) == 20)
        #expect(column(mistake("age > 3", 1)) == 8)
        #expect(column(mistake("name == '%@'", "x")) == 13)
        #expect(column(mistake("agee == %@")) == 9)
        #expect(column(mistake(PredicateFormat("age == \u{FFFC}"))) == 1)
        #expect(column(mistake("name == '\("x")'")) == 10)
    }

    @Test func argumentsHaveTheTypeOfTheProperty() {
        #expect(column(mistake("age == %@", "18")) == 8)
        #expect(column(mistake("age == %@", 1.0)) == 8)
        #expect(column(mistake("small == %@", 256)) == 10)
        #expect(column(mistake("name == %@", 3)) == 9)
        #expect(column(mistake("name == %@", nil)) == 9)
        #expect(column(mistake("name == %@", UUID())) == 9)
        #expect(column(mistake("born == %@", 3.5)) == 9)
        #expect(column(mistake("score == %@", Date())) == 10)
        #expect(column(mistake("age == %@", Person.Kind.friend)) == 8)
        #expect(column(mistake("age IN %@", [1, nil])) == 8)
        #expect(column(mistake("age IN %@", 5)) == 8)
        #expect(column(mistake("age == %@", [1])) == 8)
        #expect(column(mistake("age BETWEEN %@", [1, 2, 3])) == 13)
        #expect(column(mistake("age BETWEEN %@", 1..<3)) == 13)
        #expect(column(mistake("age IN {%@}", [1])) == 9)
        #expect(column(mistake("age == %@", ["a": 1])) == 8)
        #expect(column(mistake("age == %@", Duration.seconds(1))) == 8)
    }

    @Test func argumentsHaveTheTypeOfTheirPlace() {
        #expect(column(mistake("age == %d", 1.5)) == 8)
        #expect(column(mistake("age == %d", "1")) == 8)
        #expect(column(mistake("score == %f", 1)) == 10)
        #expect(column(mistake("%K == 1", 1)) == 1)
        #expect(column(mistake("%K == 1", "nothing")) == 1)
        #expect(column(mistake("%K == 1", "age` = 1 OR `age")) == 1)
    }

    @Test func aValueThatTheEngineHasNotIsToldAtOnce() {
        #expect(mistake("score == %@", Double.nan)?.code == .valueNotStorable)
    }

    @Test func theMessageContainsNoValue() {
        let secret = "geheim12345"
        let texts = [
            "agee == '\(secret)'", "name == '\(secret)", "name == \"\(secret)\" x", "age == '\(secret)'",
            "name == '\\'\(secret)' AND", "age == 7654321.5x", "agee == -7654321", "small == 7654321 ",
            "#\"\(secret)\"",
            "name ==['\(secret)d'] 3", "name == 'a\\x\(secret)'",
        ]
        for text in texts {
            let description = mistake(PredicateFormat(text))?.description ?? "geheim"
            #expect(!description.contains("geheim") && !description.contains("7654321"), "\(description)")
        }
        let argument = mistake("age == %@ AND kind == %@", secret, 7_654_321)?.description ?? secret
        #expect(!argument.contains(secret))
    }

    @Test func aLongTextIsShownAroundThePlace() {
        let long = (0..<100).map { "age == \($0)" }.joined(separator: " OR ")
        let error = mistake(PredicateFormat(long + " OR agee == 3 OR " + long))
        let lines = error?.message.split(separator: "\n") ?? []
        #expect(lines.count == 3)
        #expect(lines.dropFirst().allSatisfy { $0.count < 140 })
        #expect(lines.dropFirst().first?.contains("OR agee == · OR") == true)
        let column = 61
        #expect(lines.last?.count == column + 5)
    }

    @Test func onlyTheFaultyLineOfSeveralIsShown() {
        let error = mistake("name == 'x'\n  AND agee > 3\nAND age < 9")
        #expect(error?.message.hasSuffix("Line 2, column 7:\n      AND agee > ·\n          ^") == true)
        let tabs = mistake("\tage\t== 3 AND\tagee == 3")
        #expect(tabs?.message.hasSuffix("\n    \tage\t== · AND\tagee == ·\n    \t   \t        \t^") == true)
    }

    @Test(arguments: [
        ("age == 1e6", "a number with an exponent"), ("age == 1.5E3", "a number with an exponent"),
        ("age == 1.0", "a number with a fraction"), ("small == 300", "an integer"),
        ("age == 9223372036854775808", "an integer of more than 64 bits"),
    ])
    func aNumberThatDoesNotFitIsCalledWhatItIs(text: String, name: String) {
        let message = mistake(PredicateFormat(text))?.message
        #expect(message?.contains(", and \(name) was given") == true, "\(message ?? "no error")")
    }

    @Test(arguments: [
        ("nickname IS NULL", "test for NULL by == NIL"), ("1 == 1", "Neither side is a property"),
        ("age == 1 ORDER BY age", "ends before this"), ("age < NIL", "NIL has no order"),
        ("age == 3.0", "which is not one"), ("age ==[x] 3", "Only [c] may follow an operator"),
    ])
    func aMessageSaysWhatToWrite(text: String, words: String) {
        let message = mistake(PredicateFormat(text))?.message
        #expect(message?.contains(words) == true, "\(message ?? "no error")")
    }

    @Test func depthAndLengthHaveALimit() {
        let deep = String(repeating: "(", count: 100_000) + "age == 1"
        #expect(mistake(PredicateFormat(deep))?.code == .invalidPredicate)
        let negated = String(repeating: "NOT ", count: 100_000) + "age == 1"
        #expect(mistake(PredicateFormat(negated))?.code == .invalidPredicate)
        let wide = Array(repeating: "age == 1", count: 100_000).joined(separator: " AND ")
        #expect(mistake(PredicateFormat(wide))?.code == .invalidPredicate)
        let fine = Array(repeating: "age == 1", count: 500).joined(separator: " AND ")
        #expect(mistake(PredicateFormat(fine)) == nil)
        func nested(_ levels: Int) -> PredicateFormat {
            PredicateFormat(String(repeating: "(", count: levels) + "age == 1" + String(repeating: ")", count: levels))
        }
        #expect(mistake(nested(14)) == nil)
        #expect(mistake(nested(15))?.code == .invalidPredicate)
        #expect(mistake(nested(15))?.message.contains("more than 14 levels") == true)
    }

    @Test func whatIsWithinTheLimitsRunsOnTheEngine() async throws {
        let directory = try TemporaryDirectory()
        let migrator = Migrator { Migration("1") { db in try db.createTable(Person.schema) } }
        let leaf = "name BEGINSWITH[c] 'a'"
        func wide(_ more: Int, _ inner: String, _ sign: String) -> String {
            let all = [leaf, "(\(inner))"] + Array(repeating: leaf, count: more)
            return all.joined(separator: sign)
        }
        let texts = [
            Array(repeating: "age == 1", count: 500).joined(separator: " AND "),
            Array(repeating: "age == 1", count: 500).joined(separator: " OR "),
            (0..<14).reduce(leaf) { text, number in "\(leaf) \(number % 2 == 0 ? "OR" : "AND") (\(text))" },
            (0..<14).reduce(leaf) { text, number in wide(1, text, number % 2 == 0 ? " OR " : " AND ") },
            (0..<14).reduce(leaf) { text, number in wide(6, text, number % 2 == 0 ? " OR " : " AND ") },
            (0..<7).reduce(leaf) { text, _ in "NOT (\(leaf) AND \(text))" },
            String(repeating: "NOT ", count: 14) + leaf,
        ]
        try await Vault(directory.path(""), keys: .numbered(1)).with(\.migrator, migrator).using { store in
            for text in texts {
                let found = try await store.read { db in try Person.where(PredicateFormat(text)).fetch(in: db) }
                #expect(found == [], "\(text.prefix(80))")
            }
        }
    }

    @Test func whatTheEngineAnswersOtherwiseOrInNoTimeIsRefused() {
        #expect(mistake(PredicateFormat("price IN %@", Decimal(9)...Decimal(10))) == nil)
        #expect(mistake("price IN {9, 10}") == nil)
        #expect(mistake("price > 'x'")?.code == .invalidPredicate)
        #expect(mistake("name LIKE '*a*a*a*a*a*b'")?.code == .invalidPredicate)
        #expect(mistake("name LIKE '*a*a***a*a*b'") == nil)
        #expect(mistake("ratio == 1e300")?.code == .invalidPredicate)
        let broken = mistake(PredicateFormat("name == 'O'Brien-Smith' AND age == 1"))
        #expect(broken?.message.contains("Brien") == false && broken?.message.contains("Smith") == false)
    }
}

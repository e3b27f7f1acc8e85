import Foundation
import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

/// A type of a program's own that is stored as a UUID.
struct SerialNumber: RawRepresentable, ColumnValue, Hashable {
    let rawValue: UUID
}

/// A predicate as text is the condition that the closure on the columns makes: the same SQL with the same values.
struct FormatConditionTests {
    private func expect(
        _ format: PredicateFormat,
        _ arguments: (any Sendable)?...,
        is typed: (Person.Columns) -> Condition,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let made = try Condition(format.with(arguments: arguments), in: Person.self)
        #expect(made == typed(Person.columns), sourceLocation: sourceLocation)
    }

    @Test func comparisons() throws {
        try expect("age = 18") { $0.age == 18 }
        try expect("age == 18") { $0.age == 18 }
        try expect("age != 18") { $0.age != 18 }
        try expect("age <> 18") { $0.age != 18 }
        try expect("age < 18") { $0.age < 18 }
        try expect("age <= 18") { $0.age <= 18 }
        try expect("age =< 18") { $0.age <= 18 }
        try expect("age > -18") { $0.age > -18 }
        try expect("age >= 18") { $0.age >= 18 }
        try expect("age=>18") { $0.age >= 18 }
    }

    @Test func thePropertyMayStandOnEitherSide() throws {
        try expect("18 < age") { $0.age > 18 }
        try expect("18 <= age") { $0.age >= 18 }
        try expect("18 > age") { $0.age < 18 }
        try expect("18 >= age") { $0.age <= 18 }
        try expect("'Ada' == name") { $0.name == "Ada" }
        try expect("%@ != nickname", "Ada") { $0.nickname != "Ada" }
        try expect("NIL == nickname") { $0.nickname == nil }
        try expect("nickname != name") { $0.nickname != Column<String>("name") }
        try expect("name <[c] nickname") { $0.name.lowercased() < $0.nickname.lowercased() }
    }

    @Test func combinations() throws {
        try expect("age > 1 AND age < 9 OR name == 'x'") { $0.age > 1 && $0.age < 9 || $0.name == "x" }
        try expect("age > 1 and (age < 9 or name == 'x')") { $0.age > 1 && ($0.age < 9 || $0.name == "x") }
        try expect("NOT age > 1 AND age < 9") { !($0.age > 1) && $0.age < 9 }
        try expect("!(age > 1 && age < 9) || ! ! age == 3") { !($0.age > 1 && $0.age < 9) || !(!($0.age == 3)) }
        try expect("age == 1 OR age == 2 OR age == 3 AND age == 4") {
            $0.age == 1 || $0.age == 2 || $0.age == 3 && $0.age == 4
        }
    }

    @Test func rangesAndLists() throws {
        try expect("age BETWEEN {18, 30}") { $0.age.isBetween(18, and: 30) }
        try expect("age between { %d , %d }", 18, 30) { $0.age.isBetween(18, and: 30) }
        try expect("age BETWEEN %@", [18, 30]) { $0.age.isBetween(18, and: 30) }
        try expect("age BETWEEN %@", 18...30) { $0.age.isIn(18...30) }
        try expect("age IN %@", 18..<30) { $0.age.isIn(18..<30) }
        try expect("age IN {}") { $0.age.isIn([]) }
        try expect("nickname IN {'a', NIL, \"b\"}") { $0.nickname.isIn(["a", nil, "b"]) }
        try expect("nickname IN %@", ["a", nil, "b"] as [String?]) { $0.nickname.isIn(["a", nil, "b"]) }
        try expect("age IN %@", Array(1...100)) { $0.age.isIn(Array(1...100)) }
        try expect("age IN %@", Set([7])) { $0.age.isIn([7]) }
        try expect("name IN[c] {'ADA', 'Éa'}") { $0.name.lowercased().isIn(["ada", "Éa"]) }
        try expect("name BETWEEN[c] {'A', 'M'}") { $0.name.lowercased().isBetween("a", and: "m") }
        try expect("small IN %@", [1, 2] as [UInt8]) { $0.small.isIn([1, 2]) }
        try expect("photo == %@", [1, 2] as [UInt8]) { $0.photo == [1, 2] }
        try expect("photo IN %@", [[1], [2]] as [[UInt8]]) { $0.photo.isIn([[1], [2]]) }
    }

    @Test func partsOfTexts() throws {
        try expect("name BEGINSWITH 'A%_*'") { $0.name.hasPrefix("A%_*") }
        try expect("nickname ENDSWITH ''") { $0.nickname.hasSuffix("") }
        try expect("name CONTAINS %@", "a\0b") { $0.name.contains("a\0b") }
        try expect("name BEGINSWITH[c] %@", "ÉA") { $0.name.lowercased().hasPrefix("Éa") }
        try expect("name contains[C] 'Aß'") { $0.name.lowercased().contains("aß") }
        try expect("name ==[c] 'ADA'") { $0.name.lowercased() == "ada" }
        try expect("nickname ==[c] NIL") { $0.nickname.lowercased() == nil }
        try expect("name LIKE[c] 'a*b?%_'") { $0.name.like("a%b_\\%\\_") }
        try expect("name LIKE 'a*b?[%_'") { _ in Condition("`name` GLOB \("a*b?[[]%_")") }
        try expect(#"name LIKE '\\*\\?\\\\\\a*'"#) { _ in Condition("`name` GLOB \(#"[*][?]\\a*"#)") }
        try expect(#"name LIKE[c] '\\*\\?\\\\\\a*'"#) { $0.name.like(#"*?\\\\a%"#) }
    }

    @Test func values() throws {
        try expect("isActive == TRUE") { $0.isActive == true }
        try expect("isActive == no") { $0.isActive == false }
        try expect("isActive == 1") { $0.isActive == true }
        try expect("isActive == %d", true) { $0.isActive == true }
        try expect("nickname = NULL") { $0.nickname == nil }
        try expect("nickname != nil") { $0.nickname != nil }
        try expect("score > 2") { $0.score > 2 }
        try expect("score > -2.5e-3") { $0.score > -0.0025 }
        try expect("score == 1E3") { $0.score == 1000 }
        try expect("ratio == 0.1") { $0.ratio == 0.1 }
        try expect("price == 9.50") { $0.price == Decimal(string: "9.5") ?? 0 }
        try expect("kind == 1") { $0.kind == .colleague }
        try expect("extra == 'text'") { $0.extra == "text" }
        try expect("#in == NIL") { $0.in == nil }
        try expect("token == '6f9619ff-8b86-d011-b42d-00cf4fc964ff'") {
            $0.token == UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF") ?? UUID()
        }
        try expect(#"name == 'it\'s "a" \\ \n\r\t\u00e9\u{1F600}'"#) { $0.name == "it's \"a\" \\ \n\r\té😀" }
        try expect(#"name == "it's \"a\"""#) { $0.name == "it's \"a\"" }
    }

    @Test func arguments() throws {
        let date = Date(timeIntervalSinceReferenceDate: 12.5)
        try expect("born >= %@", date) { $0.born >= date }
        try expect("born BETWEEN %@", date...date + 1) { $0.born.isBetween(date, and: date + 1) }
        try expect("%K > %d", "age", 18) { $0.age > 18 }
        try expect("%K == %@", "e-mail", "x") { $0.email == "x" }
        try expect("score < %f", 1.5) { $0.score < 1.5 }
        try expect("score < %d", 3) { $0.score < 3 }
        try expect("age == %ld", 3 as UInt8) { $0.age == 3 }
        try expect("nickname == %@", nil) { $0.nickname == nil }
        try expect("nickname == %@", String?.none) { $0.nickname == nil }
        try expect("nickname == %@", String?.some("x")) { $0.nickname == "x" }
        try expect("kind IN {%@, %@}", Person.Kind.friend, 1) { $0.kind.isIn([.friend, .colleague]) }
        try expect("photo == %@", Data([1, 2])) { $0.photo == [1, 2] }
        try expect("price == %@", Decimal(3)) { $0.price == 3 }
    }

    @Test func whatIsInterpolatedIsAValue() throws {
        let (name, limit, none) = ("' OR 1 == 1", 18, String?.none)
        try expect("name == \(name) AND age > \(limit)") { $0.name == name && $0.age > limit }
        try expect("age > \(limit) AND name == %@ AND nickname == \(none)", name) {
            $0.age > limit && $0.name == name && $0.nickname == nil
        }
        try expect("age IN \([1, 2]) AND age BETWEEN \(1...2) AND photo == \([1, 2] as [UInt8])") {
            $0.age.isIn([1, 2]) && $0.age.isBetween(1, and: 2) && $0.photo == [1, 2]
        }
        try expect("age BETWEEN {\(limit), \(limit + 1)}") { $0.age.isBetween(18, and: 19) }
    }

    @Test func namesOfPropertiesComeBeforeThoseOfColumns() throws {
        try expect("email == 'x'") { $0.email == "x" }
        try expect("#in == 3 AND #name == 'x'") { $0.in == 3 && $0.name == "x" }
        try expect("%K == 3", "in") { $0.in == 3 }
        try expect("%K == TRUE", "is`Active") { $0.isActive == true }
    }

    @Test func textsThatDifferInTheirBytesAreNotOne() throws {
        // To Swift the two are equal, and so would be the predicates that are remembered.
        let (composed, decomposed) = ("name == '\u{E9}'", "name == 'e\u{301}'")
        #expect(composed == decomposed)
        let values = try [composed, decomposed].map { text in
            try Condition(PredicateFormat(text), in: Person.self).sql.values.map { "\($0)".utf8.count }
        }
        #expect(values[0] != values[1])
    }

    @Table("device")
    struct Device {
        var id: UUID?
        var serial: SerialNumber
    }

    @Test func aUUIDIsWrittenInEitherCaseAlsoAsARawValue() throws {
        let (uuid, columns) = (UUID(), Device.columns)
        for text in [uuid.uuidString, uuid.uuidString.lowercased()] {
            let (id, serial) = (PredicateFormat("id == '" + text + "'"), PredicateFormat("serial == '" + text + "'"))
            #expect(try Condition(id, in: Device.self) == (columns.id == uuid))
            #expect(try Condition(serial, in: Device.self) == (columns.serial == SerialNumber(rawValue: uuid)))
        }
    }

    @Test func tablesThatTheMacroMakesAreKnown() throws {
        let columns = MadeContact.columns
        let made = try Condition("email == 'x' AND order > 3 AND default == NIL", in: MadeContact.self)
        #expect(made == (columns.email == "x" && columns.order > 3 && columns.default == nil))
        #expect(try Condition("name == 'x'", in: MadeArchive.self) == (columns.name == "x"))
    }

    @Test func aValueOfAnyTypeCanBeNothing() throws {
        try expect("nickname == %@", SQLValue.null) { $0.nickname == nil }
        try expect("extra == %@", SQLValue.null) { $0.extra == .null }
        try expect("age == %@", SQLValue.integer(3)) { $0.age == 3 }
        #expect(throws: StrongroomError.self) { try Condition("score < %@", SQLValue.null, in: Person.self) }
    }
}

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
        ("nickname IS NULL", "compare with == NIL"), ("1 == 1", "Neither side is a property"),
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

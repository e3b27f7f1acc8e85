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
        try expect("name == %@", "Ada Lovelace".prefix(3)) { $0.name == "Ada" }
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
        try expect("nickname == %@", Value.null) { $0.nickname == nil }
        try expect("extra == %@", Value.null) { $0.extra == .null }
        try expect("age == %@", Value.integer(3)) { $0.age == 3 }
        #expect(throws: StrongroomError.self) { try Condition("score < %@", Value.null, in: Person.self) }
    }
}

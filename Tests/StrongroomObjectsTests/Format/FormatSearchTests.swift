import Strongroom
import StrongroomObjects
import StrongroomTesting
import Testing

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

    @Test func theExampleOfTheGuideFindsItsRows() async throws {
        let prefix = "É"
        let found = try await names(
            where: "age BETWEEN {0, 30} AND (name BEGINSWITH[c] \(prefix) OR NOT email LIKE '*@example.org')")
        #expect(found == ["ÉRIC", "Éric"])
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

    @Test func theCallsOfTheGuideFindTheirRows() async throws {
        try await TemporaryStore(tables: [Person.schema]).store.write { db in
            #expect(try Person.first(in: db) == nil)
            for age in [40, 20, 30] {
                var person = Person()
                person.age = age
                _ = try Person.insert(person, in: db)
            }
            #expect(try Person.first(in: db)?.age == 40)
            #expect(try Person.where("age > %d", 20).first(in: db)?.age == 40)
            #expect(
                try Person.where("age > %d", 10).order { $0.age.ascending }.limit(2, offset: 1).fetch(in: db).map(\.age)
                    == [30, 40])
            #expect(try Person.where("age > %d", 20).count(in: db) == 2)
            #expect(try Person.where("age > %d", 20).delete(in: db) == 2)
            #expect(try Person.count(in: db) == 1)
        }
    }

    @Test func itCombinesWithTheConditionsOfAClosure() throws {
        let isAdult = try Condition("age >= %d", 18, in: Person.self)
        let made = isAdult && Person.columns.nickname != nil
        #expect(made.sql.text == "((`age` >= ?) AND (`nickname` IS NOT NULL))")
        #expect(made.sql.values == [18])
    }
}

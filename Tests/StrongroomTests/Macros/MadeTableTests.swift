import Configurations
import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Types that macros make")
struct MadeTableTests {
    private let contact = MadeContact(
        name: "Ada", email: "ada@example.org", order: 3, default: nil, visits: 2, isSelected: true, note: "seen")

    @Test func aRecordComesBackAsItWentIn() async throws {
        let store = try await TemporaryStore(tables: [MadeContact.schema]).store
        let id = try await store.write { db in try MadeContact.insert(contact, in: db) }
        let found = try await store.read { db in try MadeContact.find(id, in: db) }
        var expected = contact
        expected.id = id
        expected.isSelected = false
        expected.note = nil
        #expect(found == expected)
    }

    @Test func theSchemaSaysWhatTheDeclarationSays() {
        let names = ["id", "name", "e-mail", "order", "say \"hi\"", "visits"]
        #expect(MadeContact.schema.name == "made \"contact\"")
        #expect(MadeContact.schema.columns.map(\.name) == names)
        #expect(MadeContact.columnNames == names)
        #expect(MadeContact._columnDefinitions.map(\.name) == names)
        #expect(MadeContact.schema.columns.map(\.isPrimaryKey) == [true, false, false, false, false, false])
        #expect(MadeContact.schema.columns.map(\.isNullable) == [false, false, false, false, true, false])
        #expect(MadeContact.schema.columns.map(\.isUnique) == [false, false, true, false, false, false])
        #expect(MadeContact.schema.indexes.map(\.columns) == [["name"]])
        #expect(MadeContact.databaseName == "addressbook.sqlite")
        #expect(MadeTicket.databaseName == nil)
    }

    @Test func aKeyThatTheProgramGivesStays() async throws {
        let store = try await TemporaryStore(tables: [MadeSetting.schema]).store
        let setting = MadeSetting(name: "limit", value: nil, changes: 1)
        let found = try await store.write { db in
            #expect(try MadeSetting.insert(setting, in: db) == "limit")
            return try MadeSetting.find("limit", in: db)
        }
        #expect(found?.value == 7)
        #expect(MadeSetting.key(of: setting) == "limit")
    }

    @Test func namesOfTheLibraryCanMeanSomethingElse() async throws {
        let found = try await TemporaryStore(tables: [Shadowing.Shadowed.schema]).store.write { db in
            _ = try Shadowing.Shadowed.insert(Shadowing.Shadowed(text: "t"), in: db)
            return try Shadowing.Shadowed.find(1, in: db)
        }
        #expect(found?.text == "t")
        #expect(found?.ratio == 0.5)
    }

    @Test func aPrivateStructCanBeATable() async throws {
        let store = try await TemporaryStore(tables: [HiddenTableAccess.creation]).store
        #expect(try await HiddenTableAccess.insertSamples(store) == 2)
    }

    @Test func aPublicStructMayHavePropertiesOfLesserAccess() {
        #expect(ShownTable.schema.columns.map(\.name) == ["id", "inner", "secret"])
    }
}

@Configuration("found")
private struct FoundConfiguration {
    /// For the whole process, as the registry is.
    static let directory = FileManager.default.temporaryDirectory
        .appending(path: "strongroom-\(UUID().uuidString)").path(percentEncoded: false)

    func filePath(for database: DatabaseName) -> String? { "\(Self.directory)/\(database)" }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.passphrase("found")) }
}

private enum Nest {
    @Configuration("nested")
    final class Inner {
        init() {}
        func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
    }
}

@Configuration("twins")
private struct FirstTwin: Configuration {
    func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
}

@Configuration("twins")
private struct SecondTwin: Configuration {
    func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
}

@Configuration("replaced")
private struct Replaced: Configuration {
    var number = 0
    func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
}

private struct Usurper: Configuration {
    static let target = "nested"
    func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
}

@Suite("Configurations that are found")
struct DiscoveryTests {
    @Test(arguments: ["found", "nested"])
    func aMarkedTypeIsRegistered(_ target: String) {
        #expect(Stores.shared.targets.contains(target))
    }

    @Test func aTypeInAnotherModuleIsFound() {
        #expect(Stores.shared.targets.contains(Inventory.target))
        #expect(Inventory.target == "inventory")
    }

    @Test func aFoundConfigurationOpensItsDatabases() async throws {
        #expect(FoundConfiguration.target == "found")
        defer { try? FileManager.default.removeItem(atPath: FoundConfiguration.directory) }
        let store = try await Stores.shared.open("found_alice.sqlite")
        #expect(try await store.read { db in try db.tableNames() } == [])
        try await store.close()
    }

    @Test func aRegistryOfOnesOwnFindsNothing() {
        #expect(Stores().targets == [])
    }

    @Test func twoMarkedTypesWithOneTargetAreBothNamed() async throws {
        let error = await #expect(throws: StrongroomError.self) { try await Stores.shared.open("twins.sqlite") }
        #expect(error?.code == .duplicateConfiguration)
        #expect(error?.description.contains("FirstTwin") == true)
        #expect(error?.description.contains("SecondTwin") == true)
        #expect(!Stores.shared.targets.contains("twins"))
        try expectFailure(.duplicateConfiguration) { try Stores.shared.register(FirstTwin()) }
    }

    @Test func aRegisteredTypeDoesNotPushOutAFoundOne() {
        let error = #expect(throws: StrongroomError.self) { try Stores.shared.register(Usurper()) }
        #expect(error?.code == .duplicateConfiguration)
        #expect(error?.description.contains("Usurper") == true)
        #expect(error?.description.contains("Inner") == true)
    }

    @Test func aFoundTypeCanBeRegisteredOnceWithOtherValues() throws {
        try Stores.shared.register(Replaced(number: 1))
        #expect(throws: StrongroomError.self) { try Stores.shared.register(Replaced(number: 2)) }
    }
}

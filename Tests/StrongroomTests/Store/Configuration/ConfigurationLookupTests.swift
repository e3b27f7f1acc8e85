import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Finding a database's configuration")
struct ConfigurationLookupTests {
    private struct Cellar: Configuration {
        static let target = "cellar"
        let directory: String

        func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database)" }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.numbered(2)) }
    }

    private struct SecondCellar: Configuration {
        static let target = "cellar"
        func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
    }

    private struct Shed: Configuration {
        static let target = "shed"
        func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
    }

    private struct Misnamed: Configuration {
        nonisolated(unsafe) static var target = ""  // set by one test alone
        func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
    }

    /// Notes what it is asked.
    private struct Witness: Configuration {
        static let target = "witness"
        let directory: String
        let asked: Notes

        final class Notes: Sendable {
            private let names = Locked<[String: [String]]>([:])

            func note(_ question: String, _ name: DatabaseName) {
                names.withLock { $0[question, default: []].append(name.fileName) }
            }

            subscript(_ question: String) -> [String] { names.withLock { $0[question] ?? [] } }
        }

        func filePath(for database: DatabaseName) -> String? {
            asked.note("path", database)
            return "\(directory)/\(database)"
        }

        func keyChain(for database: DatabaseName) throws -> KeyChain {
            asked.note("keys", database)
            return try KeyChain(.numbered(3))
        }

        func migrator(for database: DatabaseName) -> Migrator? {
            asked.note("migrator", database)
            return nil
        }

        func settings(for database: DatabaseName) -> StoreSettings {
            asked.note("settings", database)
            return StoreSettings()
        }
    }

    @Test func everyDatabaseOfAFamilyIsServedByItsConfiguration() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(Cellar(directory: directory.path("c")), Vault(directory.path("v"), keys: .numbered(1)))
        #expect(stores.targets == ["cellar", "vault"])
        for name in ["cellar.sqlite", "cellar_red.sqlite", "cellar", "vault.sqlite", "vault.old.sqlite"] {
            let store = try await stores.open(name)
            #expect(store.name.fileName == name)
            #expect(store.path == directory.path("\(name.prefix(1))/\(name)"))
        }
        try await stores.closeAll()
    }

    @Test(arguments: ["witness", "witness_alice.sqlite", "witness.a_b"])
    func theConfigurationIsToldTheFullName(name: String) async throws {
        let directory = try TemporaryDirectory()
        let asked = Witness.Notes()
        try await Stores(Witness(directory: directory.path(""), asked: asked)).open(name).close()
        for question in ["path", "keys", "migrator", "settings"] { #expect(asked[question] == [name]) }
    }

    @Test func aTargetWithoutAConfigurationIsNamedWithThoseThatHaveOne() async throws {
        let stores = try Stores(Cellar(directory: "/none"), Shed())
        let error = try await expectFailure(.noConfiguration) { try await stores.open("attic_left.sqlite") }
        #expect(error.message.contains("\"attic\""))
        #expect(error.message.contains("cellar, shed"))
        #expect(error.database == "attic_left.sqlite")
        let none = try await expectFailure(.noConfiguration) { try await Stores().open("attic") }
        #expect(none.message.contains("none is registered"))
    }

    @Test func lookingUpATargetTellsLettersApart() async throws {
        let stores = try Stores(Cellar(directory: "/none"))
        try await expectFailure(.noConfiguration) { try await stores.open("Cellar.sqlite") }
        try await expectFailure(.noConfiguration) { try await stores.open("cellars.sqlite") }
        try await expectFailure(.noConfiguration) { try await stores.open("cella.sqlite") }
    }

    @Test func twoConfigurationsWithOneTargetAreRefusedAtRegistration() throws {
        let error = try expectFailure(.duplicateConfiguration) {
            try Stores(Cellar(directory: "/first"), SecondCellar())
        }
        #expect(error.message.contains("Cellar and SecondCellar"))
        #expect(error.message.contains("\"cellar\""))
    }

    @Test func theFirstConfigurationStaysAfterASecondWasRefused() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(Cellar(directory: directory.path("")))
        try expectFailure(.duplicateConfiguration) { try stores.register(SecondCellar()) }
        let store = try await stores.open("cellar.sqlite")
        #expect(store.path == directory.path("cellar.sqlite"))
        try await store.close()
    }

    @Test func aConfigurationCanBeRegisteredLater() async throws {
        let directory = try TemporaryDirectory()
        let stores = Stores()
        try await expectFailure(.noConfiguration) { try await stores.open("cellar.sqlite") }
        try stores.register(Cellar(directory: directory.path("")))
        try await stores.open("cellar.sqlite").close()
    }

    @Test func aTargetThatNoNameHasIsRefused() throws {
        for target in ["a_b", "a.b", "_a", "", "a/b", "..", "a\0", "a_\u{301}"] {
            Misnamed.target = target
            try expectFailure(.invalidName, "\(target)") { try Stores(Misnamed()) }
        }
        Misnamed.target = "a-b"
        #expect(try Stores(Misnamed()).targets == ["a-b"])
    }
}

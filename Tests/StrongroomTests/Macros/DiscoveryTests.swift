import Configurations
import Foundation
import Strongroom
import StrongroomTesting
import Testing

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

import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Keys and rotation\"")
struct KeysAndRotationExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
    }

    private static let migrator = Migrator.automatic(tables: [Contact.schema])

    /// Address books whose keys are passphrases of two years.
    private struct TwoYears: Configuration {
        static let target = "addressbook"

        let directory: TemporaryDirectory
        let secretOf2025 = "the secret of 2025"
        let secretOf2026 = "the secret of 2026"

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func migrator(for database: DatabaseName) -> Migrator? { KeysAndRotationExamples.migrator }

        func keyChain(for database: DatabaseName) async throws -> KeyChain {
            try KeyChain(.passphrase(secretOf2025), .passphrase(secretOf2026))
        }
    }

    /// Address books with keys of their own.
    private struct Derived: Configuration {
        static let target = "addressbook"

        let directory: TemporaryDirectory
        var keyPath: String { directory.path("keys") }

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func migrator(for database: DatabaseName) -> Migrator? { KeysAndRotationExamples.migrator }

        func keyChain(for database: DatabaseName) throws -> KeyChain {
            try KeyFile(keyPath).keyChain().derived(for: database)
        }
    }

    /// Address books with an envelope.
    private struct Enveloped: Configuration {
        static let target = "addressbook"

        let directory: TemporaryDirectory
        var keys = [Key.random()]

        func filePath(for database: DatabaseName) -> String? { directory.path(database.fileName) }
        func migrator(for database: DatabaseName) -> Migrator? { KeysAndRotationExamples.migrator }
        func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(rotation: .manual) }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(keys) }

        func keyProtection(for database: DatabaseName) -> KeyProtection { .envelope }
    }

    private let printed = Printed()

    private func print(_ items: Any...) { printed.add(items) }

    /// A file with one contact, on the first of two keys.
    private func rotatable(_ names: String...) async throws -> Place {
        var place = try Place(migrator: Self.migrator)
        for name in names {
            let store = try await Stores(place).open(name)
            try await store.write { db in try Contact.insert(Contact(name: "Ada"), in: db) }
            try await store.close()
        }
        place.keys.append(.random())
        place.settings.rotation = .manual
        return place
    }

    @Test func aFileFollowsToTheKeyAtTheEndOfItsChain() async throws {
        let years = TwoYears(directory: try TemporaryDirectory())
        var before = try Place(migrator: Self.migrator)
        before.keys = [.passphrase(years.secretOf2025)]
        let path = years.directory.path("addressbook.sqlite")
        try await Stores(before).open("addressbook.sqlite").close()
        try FileManager.default.moveItem(atPath: before.directory.path("addressbook.sqlite"), toPath: path)

        let store = try await Stores(years).open("addressbook.sqlite")
        #expect(store.opening.rotation?.from == 0 && store.opening.rotation?.to == 1)
        try await store.close()
        let again = try await Stores(years).open("addressbook.sqlite")
        #expect(again.opening.rotation == nil)
        try await again.close()
        let old = try await Stores.diagnose(path: path, keys: KeyChain(.passphrase(years.secretOf2025)))
        #expect(old.finding == .wrongKey)
    }

    @Test func aRotationTellsHowFarItHasCome() async throws {
        let store = try await Stores(rotatable("addressbook.sqlite")).open("addressbook.sqlite")

        let report = try await store.rotate { progress in
            print("\(progress.phase): \(progress.done) of \(progress.total) bytes")
        }

        #expect(report.isRotated && report.from == 0 && report.to == 1)
        #expect(printed.lines.count >= 2 && printed.lines.allSatisfy { $0.contains(/^\w+: \d+ of \d+ bytes$/) })
        #expect(try await store.table(Contact.self).all().map(\.name) == ["Ada"])
        try await store.close()
    }

    @Test func slotsOfAnEnvelope() async throws {
        var place = Enveloped(directory: try TemporaryDirectory())
        try await Stores(place).open("addressbook.sqlite").close()
        place.keys.append(.random())
        let store = try await Stores(place).open("addressbook.sqlite")
        let secretOfTheBackup = "kept elsewhere"
        let former = try await store.keySlots()

        try await store.rotate()  // the current key takes the older one's slot
        let slot = try await store.addKey(.passphrase(secretOfTheBackup), label: "backup")
        for slot in try await store.keySlots() { print(slot.fingerprint, slot.label, slot.created) }
        try await store.revokeKey(slot.fingerprint)
        print(try await store.recoveryKey(label: "safe").text)  // write it down: it is shown once

        #expect(former.count == 1 && printed.lines.count == 3)
        #expect(!printed.lines[0].hasPrefix("\(former[0].fingerprint)"))
        #expect(printed.lines[1].hasPrefix("\(slot.fingerprint) backup 2"))
        #expect(try await store.keySlots().map(\.label).contains("safe"))
        #expect(try await !store.keySlots().contains(slot))
        try await store.close()
        let written = try RecoveryKey(printed.lines[2])
        place.keys = [.recovery(written), .random()]
        let recovered = try await Stores(place).open("addressbook.sqlite")
        #expect(try await recovered.table(Contact.self).count() == 0)
        try await recovered.close()
    }

    @Test func aWholeFamilyIsRotated() async throws {
        let stores = try Stores(await rotatable("addressbook_alice.sqlite", "addressbook_bob.sqlite"))

        let outcomes = try await stores.rotate(stores.databases(of: "addressbook"), atMost: 8) { done in
            print(done.name, done.result)
        }

        #expect(outcomes.map(\.name.fileName).sorted() == ["addressbook_alice.sqlite", "addressbook_bob.sqlite"])
        #expect(try outcomes.allSatisfy { try $0.result.get().isRotated })
        #expect(printed.lines.count == 2)
    }

    @Test func eachDatabaseHasKeysOfItsOwn() async throws {
        let books = Derived(directory: try TemporaryDirectory())
        let digits = String(repeating: "5a", count: 32)
        try #require(
            FileManager.default.createFile(
                atPath: books.keyPath, contents: Data("raw:\(digits)\n".utf8), attributes: [.posixPermissions: 0o600]))
        for name in ["addressbook_alice.sqlite", "addressbook_bob.sqlite"] {
            try await Stores(books).open(name).close()
        }
        let files = ["addressbook_alice.sqlite", "addressbook_bob.sqlite"].map { books.directory.path($0) }
        try FileManager.default.removeItem(atPath: files[0])
        try FileManager.default.copyItem(atPath: files[1], toPath: files[0])
        let error = await #expect(throws: StrongroomError.self) {
            try await Stores(books).open("addressbook_alice.sqlite")
        }
        #expect(error?.code == .wrongKey)
    }

    @Test func plaintextIsMadeByNameAlone() async throws {
        let place = try await rotatable("addressbook.sqlite")
        let store = try await Stores(place).open("addressbook.sqlite")
        let transferPath = place.directory.path("transfer.sqlite")

        try await store.exportPlaintext(to: transferPath)

        #expect(try Data(contentsOf: URL(filePath: transferPath)).starts(with: Data("SQLite format 3\0".utf8)))
        try await store.close()
    }
}

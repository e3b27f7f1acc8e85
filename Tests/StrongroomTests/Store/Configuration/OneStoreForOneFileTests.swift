import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("One store for one file")
struct OneStoreForOneFileTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("files"), keys: .numbered(1)) }

    /// Every database at one path.
    private struct Funnel: Configuration {
        static let target = "funnel"
        let path: @Sendable (DatabaseName) -> String

        func filePath(for database: DatabaseName) -> String? { path(database) }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.numbered(1)) }
    }

    @Test func twentyTasksAtOnceGetOneStoreAndTheKeysAreAskedForOnce() async throws {
        let asked = Locked(0)
        let vault = Vault(directory.path("files")) { _ in
            asked.withLock { $0 += 1 }
            await Task.yield()
            return try KeyChain(.numbered(1))
        }
        let stores = try Stores(vault)
        let opened = try await withThrowingTaskGroup(of: Store.self) { group in
            for _ in 0..<20 { group.addTask { try await stores.open("vault.sqlite") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(opened.map(ObjectIdentifier.init)).count == 1)
        #expect(asked.withLock { $0 } == 1)
        try await stores.closeAll()
    }

    @Test func twentyTasksAtOnceGetTheSameFailureAndTheNextOpeningWorks() async throws {
        struct NoKeys: Error {}
        let asked = Locked(0)
        let mayFail = Locked(true)
        let vault = Vault(directory.path("files")) { _ in
            asked.withLock { $0 += 1 }
            if mayFail.withLock({ $0 }) { throw NoKeys() }
            return try KeyChain(.numbered(1))
        }
        let stores = try Stores(vault)
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    await #expect(throws: NoKeys.self) { try await stores.open("vault.sqlite") }
                }
            }
        }
        #expect(try DirectorySnapshot(directory.path("files")).names == [])
        mayFail.withLock { $0 = false }
        try await stores.open("vault.sqlite").close()
    }

    @Test func aFailedOpeningLeavesNoClaimOnTheFile() async throws {
        try await vault.keep("a")
        let wrong = Vault(directory.path("files"), keys: .numbered(9))
        let stores = try Stores(wrong)
        for _ in 0..<3 { try await expectFailure(.wrongKey) { try await stores.open("vault.sqlite") } }
        #expect(try await vault.with(\.settings.openTimeout, .zero).lines() == ["a"])
    }

    @Test func twoNamesWithOnePathAreDetected() async throws {
        let path = directory.path("one.sqlite")
        let stores = try Stores(Funnel { _ in path })
        let store = try await stores.open("funnel_a")
        let error = try await expectFailure(.alreadyOpen, saying: "\"funnel_a\"") { try await stores.open("funnel_b") }
        #expect(error.database == "funnel_b")
        try await store.close()
        try await stores.open("funnel_b").close()
    }

    @Test func twoNamesWithOnePathAreDetectedWhileTheFirstIsStillOpening() async throws {
        let path = directory.path("one.sqlite")
        let stores = try Stores(Funnel { _ in path })
        let outcomes = await withTaskGroup(of: Result<Store, any Error>.self) { group in
            for number in 0..<8 {
                group.addTask {
                    do { return .success(try await stores.open("funnel_\(number)")) } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let failures = outcomes.compactMap { outcome -> StrongroomError? in
            guard case .failure(let error) = outcome else { return nil }
            return error as? StrongroomError
        }
        #expect(failures.count == 7)
        #expect(failures.allSatisfy { $0.code == .alreadyOpen })
        try await stores.closeAll()
    }

    enum SecondWay: CaseIterable {
        case symbolicLink, hardLink, linkedDirectory, detour
    }

    @Test(arguments: SecondWay.allCases)
    func aSecondWayToAnOpenFileIsDetected(way: SecondWay) async throws {
        let real = directory.path("real")
        let second = directory.path("second")
        let stores = try Stores(
            Funnel { name in name.fileName == "funnel_a" ? "\(real)/one.sqlite" : "\(second)/one.sqlite" })
        let store = try await stores.open("funnel_a")
        let files = FileManager.default
        switch way {
        case .symbolicLink:
            try files.createDirectory(atPath: second, withIntermediateDirectories: true)
            try files.createSymbolicLink(atPath: "\(second)/one.sqlite", withDestinationPath: "../real/one.sqlite")
        case .hardLink:
            try files.createDirectory(atPath: second, withIntermediateDirectories: true)
            try files.linkItem(atPath: "\(real)/one.sqlite", toPath: "\(second)/one.sqlite")
        case .linkedDirectory:
            try files.createSymbolicLink(atPath: second, withDestinationPath: real)
        case .detour:
            try files.createSymbolicLink(atPath: second, withDestinationPath: "\(real)/../real/.")
        }
        try await expectFailure(.alreadyOpen) { try await stores.open("funnel_b") }
        // The refusal must not have dropped the engine's locks or taken the first store's claim with it.
        try await expectFailure(.alreadyOpen) { try await stores.open("funnel_c") }
        try await store.write { db in try db.execute("CREATE TABLE still (works)") }
        try await stores.closeAll()
    }

    @Test func namesThatDifferOnlyInTheFormOfALetterAreNotMixedUp() async throws {
        let stores = try Stores(vault)
        let composed = try await stores.open("vault_é.sqlite")
        #if os(Linux)
        let decomposed = try await stores.open("vault_e\u{301}.sqlite")
        #expect(decomposed !== composed)
        #expect(decomposed.openReport.outcome == .created)
        #else
        // The file system takes the two for one.
        try await expectFailure(.alreadyOpen) { try await stores.open("vault_e\u{301}.sqlite") }
        #endif
        try await stores.closeAll()
    }

    @Test func closingAllClosesEveryStoreAndLeavesTheRegistryUsable() async throws {
        let stores = try Stores(vault)
        var opened: [Store] = []
        for name in ["vault", "vault_b", "vault_c"] { opened.append(try await stores.open(name)) }
        try await stores.closeAll()
        for store in opened { try await expectFailure(.closed) { try await store.read { _ in } } }
        // No log is left: everything is in the files.
        #expect(try DirectorySnapshot(directory.path("files")).names == ["vault", "vault_b", "vault_c"])
        try await stores.open("vault_b").close()
        try await stores.closeAll()
    }
}

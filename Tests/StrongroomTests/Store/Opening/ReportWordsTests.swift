import Strongroom
import StrongroomTesting
import Testing

@Suite("What reports say when they are printed")
struct ReportWordsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func vault(_ numbers: UInt8..., versions: Int = 1) -> Vault {
        let keys = numbers.map(Key.numbered)
        let migrations = (1...versions).map { number in
            Migration("\(number)") { db in try db.execute("CREATE TABLE \(name: "t\(number)") (a)") }
        }
        return Vault(directory.path("")) { _ in try KeyChain(keys) }
            .with(\.migrator, Migrator { migrations })
    }

    /// Without the time, which is another one each time.
    private func words(_ vault: Vault) async throws -> [String] {
        let report = try await vault.using { store in store.opening }
        return "\(report)".split(separator: "; ").dropLast().map(String.init)
    }

    @Test func anOpening() async throws {
        #expect(try await words(vault(1)) == ["made with key 1 of 1"])
        #expect(try await words(vault(1)) == ["opened with key 1 of 1", "at version 1"])
        let moved = try await words(vault(1, 2, versions: 3))
        #expect(moved.first == "opened with key 2 of 2")
        #expect(moved.dropFirst().first?.hasPrefix("rotated from key 1 to key 2 by a copy of ") == true)
        #expect(moved.last == "migrated from version 1 to version 3")
        #expect(try await words(Vault(directory.path("plain")) { _ in .plaintext }) == ["made, not encrypted"])
    }

    @Test func aRotationThatHasNothingToDo() async throws {
        let report = try await vault(1, 2).using { store in try await store.rotate() }
        #expect("\(report)" == "on key 2, as it should be")
    }
}

import Configurations
import Strongroom
import StrongroomTesting
import Testing

@Suite("Importing a control file into an inventory")
struct InventoryImportTests {
    private static let text = """
        Package: ledger
        Status: install ok installed
        Architecture: amd64
        Version: 1.2-3
        Installed-Size: 2048
        Depends: python3:any (>= 3.11), abacus | counting-frame
        Description: Keeps accounts
         In two lines.

        Package: gone
        Status: deinstall ok config-files
        Version: 9


        """

    private func inventory() async throws -> TemporaryStore {
        try await TemporaryStore(tables: [InstalledPackage.schema, Dependency.schema])
    }

    private func importing(_ text: String, into store: Store) async throws -> InventoryImport {
        let file = try ControlFile.parse(bytes: Array(text.utf8))
        return try await store.write { db in try InventoryImport.run(file, in: db) }
    }

    @Test("keeps every field of a package and of its dependencies")
    func fieldsAreKept() async throws {
        let temporary = try await inventory()
        let result = try await importing(Self.text, into: temporary.store)
        #expect(result.inserted == 1 && result.updated == 0 && result.skipped == 1 && result.dependencies == 3)
        let packages = try await temporary.store.table(InstalledPackage.self).all()
        let package = try #require(packages.first)
        #expect(packages.count == 1)
        #expect(package.identifier == "ledger:amd64")
        #expect(package.version == "1.2-3")
        #expect(package.installedSize == 2_048)
        #expect(package.summary == "Keeps accounts")
        #expect(package.details == "In two lines.")
        let dependencies = try await temporary.store.table(Dependency.self).all()
        #expect(dependencies.map(\.name) == ["python3", "abacus", "counting-frame"])
        #expect(dependencies.map(\.position) == [0, 1, 1])
        #expect(dependencies.map(\.alternative) == [0, 0, 1])
        #expect(dependencies.map(\.architecture) == ["any", nil, nil])
        #expect(dependencies.map(\.relation) == [">=", nil, nil])
        #expect(dependencies.map(\.version) == ["3.11", nil, nil])
        #expect(dependencies.allSatisfy { $0.package == package.id })
    }

    @Test("doubles nothing when it is run again, and follows what has changed")
    func aSecondImportUpdates() async throws {
        let temporary = try await inventory()
        _ = try await importing(Self.text, into: temporary.store)
        let newer = Self.text.replacing("1.2-3", with: "1.3-1").replacing(", abacus | counting-frame", with: "")
        let result = try await importing(newer, into: temporary.store)
        #expect(result.inserted == 0 && result.updated == 1)
        let packages = try await temporary.store.table(InstalledPackage.self).all()
        #expect(packages.map(\.version) == ["1.3-1"])
        #expect(try await temporary.store.table(Dependency.self).all().map(\.name) == ["python3"])
    }

    @Test("deletes what is not installed any more, and its dependencies with it")
    func whatIsGoneIsRemoved() async throws {
        let temporary = try await inventory()
        _ = try await importing(Self.text, into: temporary.store)
        let other = "Package: bash\nVersion: 5\nArchitecture: all\nDepends: libc6\n\n"
        let result = try await importing(other, into: temporary.store)
        #expect(result.inserted == 1 && result.removed == 1)
        #expect(try await temporary.store.table(InstalledPackage.self).all().map(\.name) == ["bash"])
        #expect(try await temporary.store.table(Dependency.self).all().map(\.name) == ["libc6"])
    }

    @Test("leaves the store as it was when a paragraph is malformed")
    func aBadParagraphUndoesTheImport() async throws {
        let temporary = try await inventory()
        _ = try await importing(Self.text, into: temporary.store)
        let bad =
            Self.text.replacing("1.2-3", with: "9.9") + "Package: x\nVersion: 1\nArchitecture: all\nDepends: (\n\n"
        await #expect(throws: ControlFileError.self) { _ = try await importing(bad, into: temporary.store) }
        #expect(try await temporary.store.table(InstalledPackage.self).all().map(\.version) == ["1.2-3"])
    }
}

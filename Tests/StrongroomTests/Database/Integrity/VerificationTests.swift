import Foundation
// Internal: the layout of a page, which depends on the engine, and a connection without the library's settings.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Verifying a store", .ending)
struct VerificationTests {
    @Test func aWholeFileIsWhole() async throws {
        let specimen = try await DamageSpecimen()
        let steps = Locked<[WorkProgress]>([])
        let report = try await specimen.vault.using { store in
            try await store.verify { step in steps.withLock { $0.append(step) } }
        }
        #expect(report.isWhole && report.isAuthenticated)
        #expect(report.damagedPages == [] && report.objections == [] && report.foreignKeyViolations == [])
        #expect(report.pages == specimen.pages)
        #expect(report.bytes == Int64(specimen.whole.count))
        #expect(report.description.hasSuffix("whole"))
        let told = steps.withLock { $0 }
        #expect(told.first?.phase == .checking && told.last?.phase == .checkingStructure)
        #expect(told.allSatisfy { $0.total == specimen.pages && $0.unit == .pages })
        #expect(told.last?.done == Int64(specimen.pages))
        #expect(try Data(contentsOf: URL(filePath: specimen.vault.path)) == specimen.whole)
    }

    @Test func aFileWithAPassphraseIsCheckedToo() async throws {
        let vault = Vault(keys: .passphrase("old"), .passphrase("correct horse"))
        try await vault.keep("a", "b")
        let report = try await vault.using { store in try await store.verify() }
        #expect(report.isWhole && report.isAuthenticated && report.pages > 1)
    }

    /// What is found, and that a reader is never given anything wrong.
    @Test func everyChangedByteThatIsProtectedIsFound() async throws {
        let specimen = try await DamageSpecimen()
        var generator = SeededGenerator(200)
        var found = 0
        for _ in 0..<200 {
            let offset = Int.random(in: 0..<specimen.whole.count, using: &generator)
            try specimen.put(specimen.flipped(at: offset, by: UInt8.random(in: 1...255, using: &generator)))
            let page = offset / specimen.layout.pageSize + 1
            let report = try await specimen.verification()
            if let report {
                let expected = specimen.isProtected(offset) ? [page] : []
                #expect(report.damagedPages.map(\.number) == expected, "byte \(offset)")
                #expect(report.isWhole == expected.isEmpty, "byte \(offset)")
                found += expected.count
                try await expectRightRowsOrErrors(specimen, "byte \(offset)")
            } else {
                #expect(specimen.isProtected(offset))
            }
        }
        #expect(found > 100)
    }

    private func expectRightRowsOrErrors(_ specimen: DamageSpecimen, _ comment: Comment) async throws {
        try await specimen.vault.using { store in
            for table in DamageSpecimen.queries.keys {
                do {
                    let rows = try await store.read { db in try DamageSpecimen.rows(db, of: table) }
                    #expect(rows == specimen.rows[table], comment)
                } catch let error as StrongroomError {
                    #expect(error.code == .damaged, comment)
                }
            }
        }
    }

    @Test func everyFileThatWasCutOffIsFound() async throws {
        let specimen = try await DamageSpecimen()
        var generator = SeededGenerator(50)
        for _ in 0..<50 {
            let length = Int.random(in: 512..<specimen.whole.count, using: &generator)
            try specimen.put(specimen.whole.prefix(length))
            #expect(try await specimen.verification() == nil, "\(length) bytes")
            #expect(try specimen.closedDamage().isEmpty == false, "\(length) bytes")
        }
    }

    @Test func aFileThatIsNotOpenIsCheckedToo() async throws {
        let specimen = try await DamageSpecimen()
        #expect(try specimen.closedDamage() == [])
        for page in 1...specimen.pages {
            try specimen.put(specimen.damaged(page: page))
            #expect(try specimen.closedDamage() == [page])
        }
        // The pages that are missing are told, and a part of one counts as missing.
        let kept = specimen.pages - 3
        try specimen.put(specimen.whole.prefix(kept * specimen.layout.pageSize + 100))
        #expect(try specimen.closedDamage() == Array(kept + 1...specimen.pages))
    }

    @Test func pagesThatLieInEachOthersPlaceAreDamaged() async throws {
        let specimen = try await DamageSpecimen()
        let size = specimen.layout.pageSize
        let (first, last) = (specimen.pages - 2, specimen.pages - 1)
        var bytes = specimen.whole
        bytes.replaceSubrange((first - 1) * size..<first * size, with: specimen.whole[(last - 1) * size..<last * size])
        bytes.replaceSubrange((last - 1) * size..<last * size, with: specimen.whole[(first - 1) * size..<first * size])
        try specimen.put(bytes)
        #expect(try specimen.closedDamage() == [first, last])
    }

    @Test func theNumberOfTheLockBytesPageFollowsThePagesSize() {
        for (size, page) in [(512, 2_097_153), (1_024, 1_048_577), (4_096, 262_145), (65_536, 16_385)] {
            #expect(PageLayout(pageSize: size, codeLength: 20).lockBytePage == page)
        }
        #expect(PageLayout(pageSize: 1_024, codeLength: 20).reserve == 48)
        #expect(PageLayout(pageSize: 4_096, codeLength: 64).reserve == 80)
    }

    @Test(arguments: [1_024, 2_048, 8_192, 65_536])
    func theCheckFollowsTheSettings(pageSize: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("settings.sqlite")
        let standard = try CipherSettings.engineDefault()
        var settings = standard
        settings.pageSize = pageSize
        let key = try DerivedKey(.numbered(3), salt: Array(1...16), settings: settings)
        let file = DatabaseFile(path: path, name: "settings", busyTimeout: 0, log: nil)
        let connection = try file.connect(.create, key: key)
        try connection.run("PRAGMA cipher_page_size = \(pageSize)")
        try connection.run("CREATE TABLE large (content)")
        for _ in 0..<3 { try connection.run("INSERT INTO large VALUES (randomblob(70000))") }
        connection.close()
        let verifier = try PageVerifier(closed: PlainFile(path), PageCipher(key))
        #expect(try PlainFile(path).size() == Int64(verifier.count * pageSize))
        #expect(try verifier.damagedPages() == [])
        guard settings != standard else { return }
        let other = try DerivedKey(.numbered(3), salt: Array(1...16), settings: standard)
        let wrong = try PageVerifier(closed: PlainFile(path), PageCipher(other))
        #expect(try wrong.damagedPages().count == wrong.count)
    }
}

extension DamageSpecimen {
    /// The damaged pages of the file, which nobody has open.
    func closedDamage() throws -> [Int] {
        let settings = try CipherSettings.engineDefault()
        let key = try DerivedKey(.numbered(1), salt: Array(whole.prefix(16)), settings: settings)
        return try PageVerifier(closed: PlainFile(vault.path), PageCipher(key)).damagedPages()
    }
}

import Foundation
import StrongroomTesting
import Testing

// Internal: the check of pages without a store.
@testable import Strongroom

@Suite("Scan of pages by several threads")
struct PageScanTests {
    private let vault = Vault(keys: .numbered(1))

    /// A file of many portions.
    init() async throws {
        try await vault.write { db in
            try db.execute(
                """
                INSERT INTO line
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                SELECT hex(randomblob(50000)) FROM n
                """)
        }
    }

    private func verifier() throws -> PageVerifier {
        let settings = try CipherSettings.engineDefault()
        let salt = try #require(try FileContent.of(vault.path).salt)
        let key = try DerivedKey(.numbered(1), salt: salt, settings: settings)
        return try PageVerifier(closed: PlainFile(vault.path), PageCipher(key))
    }

    @Test func damagedPagesAreFoundInOrder() throws {
        let pageSize = try CipherSettings.engineDefault().pageSize
        var bytes = try Data(contentsOf: URL(filePath: vault.path))
        let pages = bytes.count / pageSize
        #expect(bytes.count > 3_000_000)
        var generator = SeededGenerator(7)
        let damaged = Set((0..<50).map { _ in Int.random(in: 2...pages, using: &generator) } + [pages])
        for page in damaged { bytes[(page - 1) * pageSize + 100] ^= 4 }
        try bytes.write(to: URL(filePath: vault.path))
        var steps: [Int] = []
        let found = try verifier().damagedPages { steps.append($0) }
        #expect(found == damaged.sorted())
        #expect(steps == steps.sorted() && steps.last == pages && Set(steps).count == steps.count)
    }

    /// Until the end of the caller's own part no thread has to come.
    @Test(arguments: 1...5)
    func sharedWorkHasEnded(threads: Int) throws {
        let (begun, ended) = (Locked(0), Locked(0))
        SharedWork.run(threads: threads, "test") {
            begun.withLock { $0 += 1 }
            Thread.sleep(forTimeInterval: 0.01)
            ended.withLock { $0 += 1 }
        } own: {
            Thread.sleep(forTimeInterval: 0.005)
        }
        let count = begun.withLock { $0 }
        #expect(count < threads && ended.withLock { $0 } == count)
    }
}

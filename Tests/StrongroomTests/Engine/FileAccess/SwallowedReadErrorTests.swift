// A read that the operating system refuses cannot be had from outside.
@testable import Strongroom
import StrongroomTesting
import Testing

/// An I/O error that the work swallows is no damage, though the codec fails after it.
@Suite struct SwallowedReadErrorTests {
    /// What is wrong with the pages.
    enum Fault: CaseIterable, Sendable {
        case unreadable, damaged

        /// SQLITE_IOERR_READ or SQLITE_OK.
        var result: Int32 { self == .unreadable ? 266 : 0 }
        var code: StrongroomError.Code { self == .unreadable ? .inputOutput : .damaged }
    }

    /// Reads a table whose pages cannot be read, or are damaged, and does not throw.
    private static func swallow(_ fault: Fault, _ connection: Connection) throws {
        // SQLCipher 4.19 answers with a text.
        let answer = try connection.ownValue("PRAGMA page_size")
        let size = try #require(answer?.asInteger ?? answer?.asText.flatMap { Int64($0) })
        let positions = Dictionary(uniqueKeysWithValues: (3...1_000).map { (Int64($0 - 1) * size, $0) })
        let pages = RefusedPages(inFile: positions, result: fault.result) { memory, _ in
            memory.initializeMemory(as: UInt8.self, repeating: 0xAB)
        }
        try connection.refusing(pages) {
            #expect((try? connection.ownRows("SELECT sum(length(text)) FROM line", [])) == nil)
        }
    }

    @Test(arguments: Fault.allCases, [WriteKind.shared, .immediate])
    func `a commit tells it from damage`(fault: Fault, kind: WriteKind) async throws {
        let vault = Vault(keys: .raw([UInt8](repeating: 7, count: 32)))
        let line = String(repeating: "line ", count: 100)
        try await vault.write { db in
            for _ in 0..<400 { try db.execute("INSERT INTO line (text) VALUES (\(line))") }
        }
        let store = try await vault.open()
        let error = await #expect(throws: StrongroomError.self) {
            try await store.write(as: kind) { db in try Self.swallow(fault, db._handle.connection) }
        }
        #expect(error?.code == fault.code)
        // The next transactions know nothing of it.
        try await store.write { db in try db.execute("INSERT INTO line (text) VALUES ('last')") }
        #expect(try await store.lineCount() == 401)
        try await store.close()
    }
}

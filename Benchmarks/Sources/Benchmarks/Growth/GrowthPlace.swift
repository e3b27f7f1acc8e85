import Foundation
import Strongroom
import TestData

/// A directory for the one file of a curve.
struct GrowthPlace: Configuration {
    static let target = "growth"

    let directory: URL

    func filePath(for database: DatabaseName) -> String? {
        directory.appending(path: database.fileName).path(percentEncoded: false)
    }

    /// Without a derivation, which takes longer than everything else in opening.
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.raw(TestData.rawKey)) }

    func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(readers: TestData.readerCount) }

    /// Opens the file, which is made if it is missing.
    func open() async throws -> Store { try await Stores(self).open("\(Self.target).sqlite") }

    /// Opens a new file with the rows of the measures.
    func openFilled() async throws -> Store {
        let store = try await open()
        try await store.write { db in
            try db.createTable(Entry.schema)
            _ = try Entry.insert(contentsOf: TestData.rows().map(Entry.init), in: db)
        }
        return store
    }

    /// Removes the file and what lies beside it.
    func remove() throws {
        guard FileManager.default.fileExists(atPath: directory.path(percentEncoded: false)) else { return }
        try FileManager.default.removeItem(at: directory)
    }
}

/// The free space that the group needs.
enum GrowthSpace {
    private struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// What a row takes on the disk: 105 to 110 bytes in a page, of which 4,016 hold rows, rounded up.
    private static let bytesOfRow = 120

    /// Throws if there is not twice the space that a number of rows take where the files of the benchmarks lie.
    static func require(rows: Int) throws {
        let path = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return }
        let free = Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
        let needed = 2 * bytesOfRow * rows
        guard free < needed else { return }
        throw Missing(
            description: """
                \(rows) rows of the group growth need \(needed / 1_000_000) MB in \(path), and \(free / 1_000_000) MB \
                are free; free space, set TMPDIR, or give a smaller --growth-rows.
                """)
    }
}

import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The reports of \"Damaged files\"")
struct DamagedFilesExamples {
    @Table("contact")
    struct Contact {
        var id: Int64?
        var note: String
    }

    /// An address book of many pages that was made with the first of two keys; what changes its bytes is done to the
    /// closed file.
    private func books(
        _ name: String, damaging damage: (inout Data, _ pageSize: Int) -> Void
    ) async throws -> AddressBooks {
        var books = try AddressBooks(
            migrator: Migrator { Migration("1") { db in try db.createTable(Contact.schema) } })
        books.settings.rotation = .manual
        let store = try await Stores(books).open(name)
        try await store.write { db in
            let notes = (0..<500).map { Contact(note: String(repeating: "note \($0) ", count: 40)) }
            try Contact.insert(contentsOf: notes, in: db)
        }
        let pages = try await store.verify().pages
        try await store.close()
        let file = URL(filePath: books.directory.path(name))
        var bytes = try Data(contentsOf: file)
        damage(&bytes, bytes.count / pages)
        try bytes.write(to: file)
        books.keys.append(.random())
        return books
    }

    @Test func `a diagnosis of a file that is cut off`() async throws {
        let books = try await books("addressbook_alice.sqlite") { bytes, pageSize in bytes.removeLast(2 * pageSize) }
        let stores = try Stores(books)

        let lines = try await stores.diagnose("addressbook_alice.sqlite").description.split(separator: "\n")
        try #require(lines.count == 6, "\(lines)")
        #expect(lines[0] == "\(books.directory.path("addressbook_alice.sqlite")): cut off")
        #expect(lines[1].contains(/^\d+ bytes, \d+ pages$/))
        #expect(lines[2] == "key 1 of 2")
        #expect(lines[3].contains(/^SQLCipher \d's own settings: pages of \d+ bytes,/))
        #expect(lines[4] == "2 pages are missing at its end")
        #expect(lines[5] == "Restore it from a backup; what is left can be copied with `salvage`.")
    }

    @Test func `a damaged log is cut off and kept`() async throws {
        let books = try await books("addressbook.sqlite") { _, _ in }
        let stores = try Stores(books)
        let path = books.directory.path("addressbook.sqlite")
        let open = try await stores.open("addressbook.sqlite")
        for _ in 0..<3 { try await open.write { db in try db.execute("INSERT INTO contact (note) VALUES ('new')") } }
        let parts = try [path, path + "-wal"].map { ($0, try Data(contentsOf: URL(filePath: $0))) }
        try await open.close()
        for (path, bytes) in parts { try bytes.write(to: URL(filePath: path)) }
        let log = try FileHandle(forUpdating: URL(filePath: path + "-wal"))
        try log.seek(toOffset: 100)
        try log.write(contentsOf: Data([1, 2, 3]))
        try log.close()

        let found = try await stores.recoverLog("addressbook.sqlite", dryRun: true)
        #expect("\(found)" == "damaged at frame 1: 0 transactions before it, 3 from there on")
        let recovery = try await stores.recoverLog("addressbook.sqlite")
        #expect(recovery.damagedLog == path + "-wal.damaged")
    }
}

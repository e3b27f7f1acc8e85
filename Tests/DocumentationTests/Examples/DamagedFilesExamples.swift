import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Damaged files\"")
struct DamagedFilesExamples {
    @Table("contact")
    struct Contact {
        var id: Int64?
        var note: String
    }

    private let printed = Printed()

    private func print(_ items: Any...) { printed.add(items) }

    /// An address book of many pages that was made with the first of two keys; what changes its bytes is done to the
    /// closed file.
    private func place(
        _ name: String, damaging damage: (inout Data, _ pageSize: Int) -> Void
    ) async throws -> Place {
        var place = try Place(
            migrator: Migrator { Migration("1") { db in try db.createTable(Contact.schema) } })
        place.settings.rotation = .manual
        let store = try await Stores(place).open(name)
        try await store.write { db in
            let notes = (0..<500).map { Contact(note: String(repeating: "note \($0) ", count: 40)) }
            try Contact.insert(contentsOf: notes, in: db)
        }
        let pages = try await store.verify().pages
        try await store.close()
        let file = URL(filePath: place.directory.path(name))
        var bytes = try Data(contentsOf: file)
        damage(&bytes, bytes.count / pages)
        try bytes.write(to: file)
        place.keys.append(.random())
        return place
    }

    /// The same with a page in the middle that the disk returns otherwise than it was written.
    private func damagedPlace() async throws -> Place {
        try await place("addressbook.sqlite") { bytes, pageSize in
            let page = bytes.count / pageSize / 2
            for place in page * pageSize..<page * pageSize + 100 { bytes[place] ^= 0x5A }
        }
    }

    @Test func whatAFileIs() async throws {
        let place = try await place("addressbook_alice.sqlite") { bytes, pageSize in bytes.removeLast(2 * pageSize) }
        let stores = try Stores(place)

        print(try await stores.diagnose("addressbook_alice.sqlite"))
        // /srv/data/addressbook_alice.sqlite: cut off
        // 1228800 bytes, 302 pages
        // key 1 of 2
        // SQLCipher 4's own settings: pages of 4096 bytes, …
        // 2 pages are missing at its end
        // open in process 4711 (inventory)
        // Restore it from a backup; what is left can be copied with `salvage`.

        let lines = printed.lines.flatMap { $0.split(separator: "\n").map(String.init) }
        try #require(lines.count == 6, "\(lines)")
        #expect(lines[0] == "\(place.directory.path("addressbook_alice.sqlite")): cut off")
        #expect(lines[1].contains(/^\d+ bytes, \d+ pages$/))
        #expect(lines[2] == "key 1 of 2")
        #expect(lines[3].contains(/^SQLCipher \d's own settings: pages of \d+ bytes,/))
        #expect(lines[4] == "2 pages are missing at its end")
        #expect(lines[5] == "Restore it from a backup; what is left can be copied with `salvage`.")
    }

    @Test func aDamagedPageIsNamed() async throws {
        let place = try await damagedPlace()
        let store = try await Stores(place).open("addressbook.sqlite")

        let report = try await store.verify { progress in
            print("\(progress.done) of \(progress.total) pages")
        }
        if !report.isWhole { print(report) }  // page 12 of table "contact" …

        #expect(report.damagedPages.count == 1)
        #expect(printed.lines.contains { $0.hasSuffix(" of \(report.pages) pages") })
        #expect(printed.lines.last?.contains(/[pP]age \d+.* table "contact"/) == true, "\(printed.lines)")
        try await store.close()
    }

    @Test func aDamagedLogIsCutOffAndKept() async throws {
        let place = try await place("addressbook.sqlite") { _, _ in }
        let stores = try Stores(place)
        let path = place.directory.path("addressbook.sqlite")
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
        print(found)  // damaged at frame 12: 11 transactions before it, 3 from there on
        let recovery = try await stores.recoverLog("addressbook.sqlite")
        print(recovery.damagedLog ?? "not damaged")  // /srv/data/addressbook.sqlite-wal.damaged

        #expect(printed.lines.first == "damaged at frame 1: 0 transactions before it, 3 from there on")
        #expect(printed.lines.last == path + "-wal.damaged")
    }

    @Test func theRestIsSaved() async throws {
        let place = try await damagedPlace()
        let stores = try Stores(place)
        let store = try await stores.open("addressbook.sqlite")
        let rescuePath = place.directory.path("rescue/addressbook.sqlite")

        try await store.close()
        let rescue = try await stores.salvage("addressbook.sqlite", to: rescuePath)
        for table in rescue.tables where !table.isComplete {
            print(table.name, table.rowsCopied, table.rowsLost, table.lostRowIDs)
        }

        let contacts = try #require(rescue.tables.first { $0.name == "contact" })
        #expect(contacts.rowsCopied < 500 && !contacts.isComplete)
        #expect(contacts.lostRowIDs.reduce(contacts.rowsCopied) { $0 + $1.count } >= 500)
        #expect(printed.lines.first?.hasPrefix("contact \(contacts.rowsCopied) \(contacts.rowsLost) [") == true)
        #expect(FileManager.default.fileExists(atPath: rescuePath))
    }
}

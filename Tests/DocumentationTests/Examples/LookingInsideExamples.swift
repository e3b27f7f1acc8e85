import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Looking inside, moving data, keeping copies\"")
struct LookingInsideExamples {
    @Table("contact")
    struct Contact: Equatable {
        var id: Int64?
        var name: String
    }

    private let printed = Printed()

    private func print(_ items: Any...) { printed.add(items) }

    @Test func aBackupIsMadeAndRestored() async throws {
        let place = try Place(tables: Contact.schema)
        let stores = try Stores(place)
        let store = try await stores.open("addressbook_alice.sqlite")
        let ada = try await store.write { db in try Contact.insert(Contact(name: "Ada"), in: db) }
        let backupPath = place.directory.path("backup/addressbook_alice.sqlite")

        for _ in 1...2 {
            let report = try await store.backup(to: backupPath, replacing: true)
            print(report.rows, report.bytes)
        }

        let bytes = try Data(contentsOf: URL(filePath: backupPath))
        #expect(printed.lines.allSatisfy { $0 == printed.lines[0] })
        #expect(printed.lines[0].hasSuffix(" \(bytes.count)"))
        try await store.write { db in try Contact.delete(ada, in: db) }
        try await store.close()

        try await stores.restore("addressbook_alice.sqlite", from: backupPath)

        let restored = try await stores.open("addressbook_alice.sqlite")
        #expect(try await restored.table(Contact.self).all() == [Contact(id: ada, name: "Ada")])
        try await restored.close()
    }
}

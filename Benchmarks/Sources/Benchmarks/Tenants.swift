import Foundation
import Strongroom
import TestData

/// Files in one directory, named as ``ServiceLoad`` names them, with a raw key and the table of the entries.
struct Tenants: Configuration {
    static let target = "tenant"

    let directory: URL
    var protection = KeyProtection.direct
    var settings = StoreSettings()

    func filePath(for database: DatabaseName) -> String? {
        directory.appending(path: database.fileName).path(percentEncoded: false)
    }

    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.raw(TestData.rawKey)) }

    func keyProtection(for database: DatabaseName) -> KeyProtection { protection }

    func migrator(for database: DatabaseName) -> Migrator? {
        Migrator(tables: [Entry.schema]) {
            Migration("1") { db in try db.createTable(Entry.schema) }
        }
    }

    func settings(for database: DatabaseName) -> StoreSettings { settings }
}

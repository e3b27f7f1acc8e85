import Foundation
import GRDB
import TestData

// What GRDB's README has under "Define a plain struct optimized for fetching performance": columns are decoded by
// index, since the tables have them in this order; and values are encoded without Codable, too.

/// An ``Entry`` that is decoded and encoded by hand.
struct ManualEntry: EntryRecord {
    static let databaseTableName = "entry"

    var id: Int64?
    var name: String
    var size: Int64
    var score: Double
    var digest: Data
    var note: String?

    init(_ sample: Sample) {
        id = sample.id
        name = sample.name
        size = sample.size
        score = sample.score
        digest = Data(sample.digest)
        note = sample.note
    }

    init(row: Row) {
        id = row[0]
        name = row[1]
        size = row[2]
        score = row[3]
        digest = row[4]
        note = row[5]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["size"] = size
        container["score"] = score
        container["digest"] = digest
        container["note"] = note
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// An ``Account`` that is encoded by hand.
struct ManualAccount: MutablePersistableRecord {
    static let databaseTableName = "account"

    var id: Int64?
    var email: String
    var size: Int64
    var score: Double
    var digest: Data
    var note: String?

    init(_ sample: Sample) {
        id = sample.id
        email = sample.name
        size = sample.size
        score = sample.score
        digest = Data(sample.digest)
        note = sample.note
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["email"] = email
        container["size"] = size
        container["score"] = score
        container["digest"] = digest
        container["note"] = note
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

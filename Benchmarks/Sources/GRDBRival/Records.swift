import Foundation
import GRDB
import TestData

/// A record of the table of entries.
protocol EntryRecord: FetchableRecord, MutablePersistableRecord, Sendable {
    var name: String { get }
    var size: Int64 { get }
    var digest: Data { get }
    var note: String? { get }
}

/// A record as GRDB's guide has one write it: Codable, with a key that the engine makes.
struct Entry: Codable, EntryRecord {
    static let databaseTableName = "entry"

    var id: Int64?
    var name: String
    var size: Int64
    var score: Double
    // Data, since GRDB stores an array of bytes as JSON.
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

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// The record of the upserts: its e-mail address is unique.
struct Account: Codable, FetchableRecord, MutablePersistableRecord {
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

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension Summary {
    mutating func add(_ entry: some EntryRecord) {
        add(size: entry.size, name: entry.name, digestLength: entry.digest.count, note: entry.note)
    }
}

import Strongroom
import TestData

/// The record of the measures, as a user writes one: in a module of its own, made by the macro.
@Table("entry")
struct Entry {
    var id: Int64?
    var name: String
    var size: Int64
    var score: Double
    var digest: [UInt8]
    var note: String?
}

extension Entry: SampleTable {
    static let textColumn = "name"

    init(_ sample: Sample) {
        id = sample.id
        name = sample.name
        size = sample.size
        score = sample.score
        digest = sample.digest
        note = sample.note
    }
}

extension Summary {
    init(_ entries: [Entry]) {
        self.init()
        for entry in entries { add(entry) }
    }

    mutating func add(_ entry: Entry) {
        add(size: entry.size, name: entry.name, digestLength: entry.digest.count, note: entry.note)
    }
}

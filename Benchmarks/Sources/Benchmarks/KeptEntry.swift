import Strongroom
import TestData

/// An ``Entry`` whose table keeps a history.
@Table("kept", history: .keep())
struct KeptEntry {
    var id: Int64?
    var name: String
    var size: Int64
    var score: Double
    var digest: [UInt8]
    var note: String?
}

extension KeptEntry: SampleTable {
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

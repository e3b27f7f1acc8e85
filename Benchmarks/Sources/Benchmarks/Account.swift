import Strongroom
import TestData

/// The record of the upserts: an ``Entry`` whose text is unique.
@Table("account")
struct Account {
    var id: Int64?
    @Column(unique: true) var email: String
    var size: Int64
    var score: Double
    var digest: [UInt8]
    var note: String?
}

extension Account: SampleTable {
    static let textColumn = "email"

    init(_ sample: Sample) {
        id = sample.id
        email = sample.name
        size = sample.size
        score = sample.score
        digest = sample.digest
        note = sample.note
    }
}

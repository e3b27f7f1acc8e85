import StrongroomTesting
import Strongroom

/// A record with columns of every class, most of which may be NULL, for conditions.
@Table("sample")
struct Sample: Equatable {
    var id: Int64?
    var word: String?
    var note: String
    var number: Double?
    var size: Int64
    var flag: Bool?
    var data: [UInt8]?

    /// A random sample whose values come up again in others, so that comparisons find something.
    init(id: Int64, _ generator: inout SeededGenerator) {
        self.id = id
        word = generator.sometimesNil { $0.text(upTo: 3) }
        note = generator.text(upTo: 3)
        number = generator.sometimesNil { $0.smallNumber() }
        size = Int64.random(in: -3...3, using: &generator)
        flag = generator.sometimesNil { $0.next().isMultiple(of: 2) }
        data = generator.sometimesNil { $0.bytes(upTo: 1) }
    }
}

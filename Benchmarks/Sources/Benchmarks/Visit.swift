import Strongroom
import TestData

/// A child of an ``Entry``.
@Table("visit")
struct Visit {
    var id: Int64?
    @Column(indexed: true) var entry: Int64
    var minutes: Int64
}

extension Visit {
    init(_ visit: TestVisit) {
        entry = visit.entry
        minutes = visit.minutes
    }
}

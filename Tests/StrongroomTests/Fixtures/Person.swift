import Foundation
import Strongroom

/// A table with a column of every kind that a predicate as text meets; some columns are named otherwise than their
/// properties.
@Table("person")
struct Person: Equatable {
    var id: Int64?
    var name: String
    var nickname: String?
    @Column("e-mail") var email: String?
    var age: Int
    var small: UInt8
    var score: Double?
    var ratio: Float
    @Column("is`Active") var isActive: Bool
    var born: Date?
    var token: UUID
    var price: Decimal
    var kind: Kind
    var photo: [UInt8]
    var tags: JSON<[String]>
    var extra: SQLValue
    var `in`: Int?

    enum Kind: Int, ColumnValue { case friend, colleague }
}

extension Person {
    init() {
        self.init(
            name: "", age: 0, small: 0, ratio: 0, isActive: false,
            token: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), price: 0, kind: .friend, photo: [],
            tags: JSON([]), extra: .null)
    }
}

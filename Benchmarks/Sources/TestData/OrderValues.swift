/// The columns of an order; each side has a record of its own with them.
public protocol OrderValues {
    var id: Int64? { get }
    var customerID: String? { get }
    var employeeID: Int64? { get }
    var orderDate: String? { get }
    var requiredDate: String? { get }
    var shippedDate: String? { get }
    var shipVia: Int64? { get }
    var freight: Double? { get }
    var shipName: String? { get }
    var shipAddress: String? { get }
    var shipCity: String? { get }
    var shipRegion: String? { get }
    var shipPostalCode: String? { get }
    var shipCountry: String? { get }
}

extension OrderValues {
    private var numbers: [Int64?] { [id, employeeID, shipVia, freight.map { Int64($0 * 100 + 0.5) }] }

    private var texts: [String?] {
        [
            customerID, orderDate, requiredDate, shippedDate, shipName, shipAddress, shipCity, shipRegion,
            shipPostalCode, shipCountry,
        ]
    }

    /// Over the numbers and the lengths of the texts; NULL is less than an empty text.
    fileprivate var sum: Int64 {
        numbers.reduce(0) { $0 + ($1 ?? -1) } + texts.reduce(0) { $0 + ($1.map { Int64($0.utf8.count) } ?? -1) }
    }
}

extension Summary {
    public init(_ orders: [some OrderValues]) {
        self.init(rows: Int64(orders.count), sum: orders.reduce(0) { $0 + $1.sum })
    }
}

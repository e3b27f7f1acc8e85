import Strongroom
import TestData

/// An order of the public comparison of SQLite libraries; see ``TestOrder``.
@Table("orders")
struct Order {
    var id: Int64?
    var customerID: String?
    var employeeID: Int64?
    var orderDate: String?
    var requiredDate: String?
    var shippedDate: String?
    var shipVia: Int64?
    var freight: Double?
    var shipName: String?
    var shipAddress: String?
    var shipCity: String?
    var shipRegion: String?
    var shipPostalCode: String?
    var shipCountry: String?
}

extension Order: OrderValues {
    init(_ order: TestOrder) {
        id = order.id
        customerID = order.customerID
        employeeID = order.employeeID
        orderDate = order.orderDate
        requiredDate = order.requiredDate
        shippedDate = order.shippedDate
        shipVia = order.shipVia
        freight = order.freight
        shipName = order.shipName
        shipAddress = order.shipAddress
        shipCity = order.shipCity
        shipRegion = order.shipRegion
        shipPostalCode = order.shipPostalCode
        shipCountry = order.shipCountry
    }
}

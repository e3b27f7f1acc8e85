extension TestOrder {
    /// What creates the table and fills it.
    public static func statements(_ orders: [TestOrder]) -> [String] {
        [creation]
            + stride(from: 0, to: orders.count, by: 500).map { start in
                let rows = orders[start..<min(start + 500, orders.count)].map(\.literals)
                return "INSERT INTO \"orders\" VALUES \(rows.joined(separator: ", "))"
            }
    }

    private static let creation = """
        CREATE TABLE "orders" ("id" INTEGER PRIMARY KEY, "customerID" TEXT, "employeeID" INTEGER, "orderDate" TEXT, \
        "requiredDate" TEXT, "shippedDate" TEXT, "shipVia" INTEGER, "freight" REAL, "shipName" TEXT, \
        "shipAddress" TEXT, "shipCity" TEXT, "shipRegion" TEXT, "shipPostalCode" TEXT, "shipCountry" TEXT)
        """

    private var literals: String {
        func literal(_ number: (some CustomStringConvertible)?) -> String { number?.description ?? "NULL" }
        // No text has an apostrophe.
        func literal(_ text: String?) -> String { text.map { "'\($0)'" } ?? "NULL" }
        let values = [
            literal(id), literal(customerID), literal(employeeID), literal(orderDate), literal(requiredDate),
            literal(shippedDate), literal(shipVia), literal(freight), literal(shipName), literal(shipAddress),
            literal(shipCity), literal(shipRegion), literal(shipPostalCode), literal(shipCountry),
        ]
        return "(\(values.joined(separator: ", ")))"
    }
}

import CEngine
import TestData

/// The rival of the orders: the engine's C functions called from Swift, as a generator of code for one table, such as
/// Enlighter, writes the calls. Columns are read by index, texts are made of the engine's C strings.
extension Rival {
    /// Opens a database in memory with the orders.
    convenience init(inMemory orders: [TestOrder]) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        try self.init(result: sqlite3_open_v2(":memory:", &opened, flags, nil), opened)
        for statement in TestOrder.statements(orders) { try run(statement) }
    }

    /// All orders.
    func fetchOrders() throws -> [Order] {
        try fetch(Self.selection) { Order($0) }
    }

    private static let selection = """
        SELECT "id", "customerID", "employeeID", "orderDate", "requiredDate", "shippedDate", "shipVia", "freight", \
        "shipName", "shipAddress", "shipCity", "shipRegion", "shipPostalCode", "shipCountry" FROM "orders"
        """
}

extension Order {
    /// From the row that the statement has reached.
    fileprivate init(_ statement: OpaquePointer) {
        id = Self.integer(statement, 0)
        customerID = Self.text(statement, 1)
        employeeID = Self.integer(statement, 2)
        orderDate = Self.text(statement, 3)
        requiredDate = Self.text(statement, 4)
        shippedDate = Self.text(statement, 5)
        shipVia = Self.integer(statement, 6)
        freight = Self.isNull(statement, 7) ? nil : sqlite3_column_double(statement, 7)
        shipName = Self.text(statement, 8)
        shipAddress = Self.text(statement, 9)
        shipCity = Self.text(statement, 10)
        shipRegion = Self.text(statement, 11)
        shipPostalCode = Self.text(statement, 12)
        shipCountry = Self.text(statement, 13)
    }

    @inline(__always)
    private static func isNull(_ statement: OpaquePointer, _ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    @inline(__always)
    private static func integer(_ statement: OpaquePointer, _ column: Int32) -> Int64? {
        isNull(statement, column) ? nil : sqlite3_column_int64(statement, column)
    }

    @inline(__always)
    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String? {
        sqlite3_column_text(statement, column).map { String(cString: $0) }
    }
}

import CSQLCipher
import Foundation

/// A collation registered on a connection; the engine keeps it until the connection is closed.
final class RegisteredCollation {
    private let order: Collation.Order
    /// Whether texts that the order treats as equal are compared by their bytes.
    private let isTotal: Bool

    private init(_ order: @escaping Collation.Order, isTotal: Bool) {
        self.order = order
        self.isTotal = isTotal
    }

    /// Registers a collation. See SQLite's documentation, "Define New Collating Sequences"
    /// (sqlite.org/c3ref/create_collation.html).
    ///
    /// - Returns: The engine's result code.
    static func install(
        _ name: String, isTotal: Bool = false, on connection: OpaquePointer, _ order: @escaping Collation.Order
    ) -> Int32 {
        let collation = Unmanaged.passRetained(RegisteredCollation(order, isTotal: isTotal))
        let result = sqlite3_create_collation_v2(
            connection, name, SQLITE_UTF8, collation.toOpaque(),
            { collation, leftCount, left, rightCount, right in
                guard let collation else { return 0 }
                let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                return Unmanaged<RegisteredCollation>.fromOpaque(collation)._withUnsafeGuaranteedRef {
                    $0.compare(left, right)
                }
            },
            { collation in
                if let collation { Unmanaged<RegisteredCollation>.fromOpaque(collation).release() }
            })
        // Unlike a function, a refused collation is not released by the engine.
        if result != SQLITE_OK { collation.release() }
        return result
    }

    /// Lets the engine request collations that it does not know. See SQLite's documentation, "Collation Needed
    /// Callbacks" (sqlite.org/c3ref/collation_needed.html).
    static func installLocales(on connection: OpaquePointer) -> Int32 {
        sqlite3_collation_needed(connection, nil) { _, connection, _, name in
            guard let connection, let name = name.map({ String(cString: $0) }),
                let order = LocaleCollation.order(of: name)
            else { return }
            // Without it the statement fails, and its error contains the name.
            _ = RegisteredCollation.install(name, isTotal: true, on: connection, order)
        }
    }

    private func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        let bytes = Self.compareBytes(left, right)
        guard bytes != 0 else { return 0 }
        let (first, second) = (String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
        switch order(first, second) {
        case .orderedAscending: return -1
        case .orderedDescending: return 1
        case .orderedSame: return isTotal ? bytes : 0
        }
    }

    private static func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        let common = Swift.min(left.count, right.count)
        if common > 0, let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, common)
            if order != 0 { return order < 0 ? -1 : 1 }
        }
        return left.count == right.count ? 0 : left.count < right.count ? -1 : 1
    }
}

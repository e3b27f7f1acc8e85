import CSQLCipher
import Foundation

/// A table-valued function that returns the values of a list, so that a list of any length needs only one parameter.
///
/// The list is encoded as one blob: for each value a type byte, then an integer of 8 bytes that is the value, its bit
/// pattern, or the number of bytes that follow. See SQLite's documentation, "The Virtual Table Mechanism Of SQLite",
/// section 3.1.2 (sqlite.org/vtab.html).
package enum ListTable {
    static let name = "strongroom_list"

    /// Shorter lists are written as parameters, whose number the query planner takes into account.
    package static let shortest = 32

    fileprivate enum Kind: UInt8 {
        case null, integer, real, text, blob
    }

    /// A query for the values of an encoded list. The value is an expression, not a column, so that a comparison uses
    /// the affinity of the other operand, as with a parameter (sqlite.org/datatype3.html, section 4.2).
    static func query(_ list: String) -> String { "SELECT +value FROM \(name)(\(list))" }

    static func encode(_ values: [SQLValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.count * 17)
        func append(_ kind: Kind, _ number: Int64, _ content: some Sequence<UInt8> = EmptyCollection()) {
            bytes.append(kind.rawValue)
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: content)
        }
        for value in values {
            switch value {
            case .null: append(.null, 0)
            case .integer(let number): append(.integer, number)
            case .real(let number): append(.real, Int64(bitPattern: number.bitPattern))
            case .text(let text): append(.text, Int64(text.utf8.count), text.utf8)
            case .blob(let content): append(.blob, Int64(content.count), content)
            }
        }
        return bytes
    }

    static func install(on connection: OpaquePointer) -> Int32 {
        sqlite3_create_module_v2(connection, name, module, nil, nil)
    }

    private nonisolated(unsafe) static let module = makeModule()  // guarded by never being changed after its creation

    private static func makeModule() -> UnsafePointer<sqlite3_module> {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        module.initialize(to: sqlite3_module())
        module.pointee.xConnect = { connection, _, _, _, table, _ in
            let result = sqlite3_declare_vtab(connection, "CREATE TABLE list (value, content HIDDEN)")
            guard result == SQLITE_OK, let memory = sqlite3_malloc(Int32(MemoryLayout<sqlite3_vtab>.size)) else {
                return result == SQLITE_OK ? SQLITE_NOMEM : result
            }
            memset(memory, 0, MemoryLayout<sqlite3_vtab>.size)
            table?.pointee = memory.assumingMemoryBound(to: sqlite3_vtab.self)
            return SQLITE_OK
        }
        module.pointee.xDisconnect = { table in
            sqlite3_free(table)
            return SQLITE_OK
        }
        module.pointee.xBestIndex = { _, information in
            guard let information else { return SQLITE_ERROR }
            return ListTable.plan(&information.pointee)
        }
        module.pointee.xOpen = { _, cursor in
            guard let memory = sqlite3_malloc(Int32(MemoryLayout<ListCursor>.size)) else { return SQLITE_NOMEM }
            let list = memory.assumingMemoryBound(to: ListCursor.self)
            list.initialize(to: ListCursor())
            // The engine accesses the first member of the cursor.
            cursor?.pointee = UnsafeMutableRawPointer(list).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.pointee.xClose = { cursor in
            guard let cursor else { return SQLITE_OK }
            ListCursor.at(cursor).deinitialize(count: 1)
            sqlite3_free(cursor)
            return SQLITE_OK
        }
        module.pointee.xFilter = { cursor, _, _, count, arguments in
            guard let cursor else { return SQLITE_ERROR }
            ListCursor.at(cursor).pointee.start(count == 1 ? arguments?[0] : nil)
            return SQLITE_OK
        }
        module.pointee.xNext = { cursor in
            guard let cursor else { return SQLITE_ERROR }
            ListCursor.at(cursor).pointee.advance()
            return SQLITE_OK
        }
        module.pointee.xEof = { cursor in
            guard let cursor else { return 1 }
            return ListCursor.at(cursor).pointee.isAtEnd ? 1 : 0
        }
        module.pointee.xColumn = { cursor, context, column in
            guard let cursor, column == 0 else { return SQLITE_OK }
            ListCursor.at(cursor).pointee.setResult(of: context)
            return SQLITE_OK
        }
        module.pointee.xRowid = { cursor, row in
            guard let cursor else { return SQLITE_ERROR }
            row?.pointee = Int64(ListCursor.at(cursor).pointee.number)
            return SQLITE_OK
        }
        return UnsafePointer(module)
    }

    /// Requires the list as the argument; without one there is no plan.
    private static func plan(_ information: inout sqlite3_index_info) -> Int32 {
        information.estimatedCost = 1_000_000
        for index in 0..<Int(information.nConstraint) {
            let constraint = information.aConstraint[index]
            guard constraint.iColumn == 1, constraint.usable != 0, constraint.op == SQLITE_INDEX_CONSTRAINT_EQ
            else { continue }
            information.aConstraintUsage[index].argvIndex = 1
            information.aConstraintUsage[index].omit = 1
            information.estimatedCost = 100
            break
        }
        return SQLITE_OK
    }
}

/// The position of a query in a list.
private struct ListCursor {
    var base = sqlite3_vtab_cursor()
    var number = 0
    private var bytes: [UInt8] = []
    private var offset = 0

    private static let head = 9

    static func at(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>) -> UnsafeMutablePointer<ListCursor> {
        UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: ListCursor.self)
    }

    mutating func start(_ content: OpaquePointer?) {
        number = 0
        offset = 0
        // The blob is valid during this call only.
        guard let content, let start = sqlite3_value_blob(content) else { return bytes = [] }
        bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(content))))
    }

    /// Also true at a truncated value: the blob may come from other code.
    var isAtEnd: Bool { bytes.count - offset < Self.head + length }

    mutating func advance() {
        offset += Self.head + length
        number += 1
    }

    private var kind: ListTable.Kind? { bytes.indices.contains(offset) ? ListTable.Kind(rawValue: bytes[offset]) : nil }

    private var payload: Int64 {
        guard bytes.count - offset >= Self.head else { return 0 }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset + 1, as: Int64.self) }
    }

    private var length: Int {
        guard kind == .text || kind == .blob else { return 0 }
        return payload < 0 || payload > bytes.count ? bytes.count : Int(payload)
    }

    func setResult(of context: OpaquePointer?) {
        // The engine copies the value.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch kind {
        case .integer: sqlite3_result_int64(context, payload)
        case .real: sqlite3_result_double(context, Double(bitPattern: UInt64(bitPattern: payload)))
        case .text, .blob:
            bytes.withUnsafeBytes { all in
                let start = all.baseAddress.map { $0 + offset + Self.head }
                if kind == .text {
                    let text = start?.assumingMemoryBound(to: CChar.self)
                    sqlite3_result_text(context, text, Int32(clamping: length), transient)
                } else {
                    sqlite3_result_blob(context, start, Int32(clamping: length), transient)
                }
            }
        case .null, nil: sqlite3_result_null(context)
        }
    }
}

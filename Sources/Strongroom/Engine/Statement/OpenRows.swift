import CSQLCipher

/// The rows of a statement that a closure receives one at a time, on a connection that may write.
///
/// Before a statement writes to a table that the rows come from, the rest of them is copied into memory: a statement
/// that runs on would meet the changed rows again, or rows that were inserted meanwhile (the Halloween problem).
@usableFromInline
final class OpenRows {
    private typealias Copy = UnsafeMutableBufferPointer<OpaquePointer?>

    let statement: Statement
    private let cancellation: CancellationFlag
    let current: UnsafeMutablePointer<OpenRow>
    @usableFromInline private(set) var isCopied = false
    private var hasRow = false
    private var isAtEnd = false
    /// The copied rows that have not been used, the last one first, and the current one.
    private var rest: [Copy] = []
    private var used: Copy?
    private var failure: (any Error)?

    init(_ statement: Statement, _ cancellation: CancellationFlag) {
        self.statement = statement
        self.cancellation = cancellation
        current = .allocate(capacity: 1)
        current.initialize(to: OpenRow(statement: statement.pointer))
    }

    deinit {
        for row in rest { Self.free(row) }
        if let used { Self.free(used) }
        current.deallocate()
    }

    @usableFromInline
    func next() throws -> Bool {
        if let failure { throw failure }
        // A statement that is stepped again after its end starts over.
        guard !isAtEnd else { return false }
        if isCopied {
            // The engine, which an interrupt would stop, runs no more.
            try cancellation.check()
            if let used { Self.free(used) }
            used = rest.popLast()
            current.pointee.values = used?.baseAddress
            isAtEnd = used == nil
        } else {
            do {
                isAtEnd = try !statement.step()
            } catch {
                failure = error
                throw error
            }
        }
        hasRow = !isAtEnd
        return hasRow
    }

    /// Copies the current row and those that follow it.
    ///
    /// - Throws: The engine's failure, which ``next()`` also throws from then on.
    func copyRest() throws {
        guard !isCopied, !isAtEnd, failure == nil else { return }
        isCopied = true
        do {
            if hasRow {
                used = try copiedRow()
                current.pointee.values = used?.baseAddress
            }
            while try statement.step() { rest.append(try copiedRow()) }
        } catch {
            failure = error
            throw error
        }
        rest.reverse()
    }

    private func copiedRow() throws -> Copy {
        let count = sqlite3_column_count(statement.pointer)
        // At least one, so that a row of no columns has an address.
        let copy = Copy.allocate(capacity: max(1, Int(count)))
        copy.initialize(repeating: nil)
        for index in 0..<count {
            // No other thread uses the connection: see `Row.cell`.
            copy[Int(index)] = sqlite3_value_dup(sqlite3_column_value(statement.pointer, index))
            guard copy[Int(index)] != nil else {
                Self.free(copy)
                throw StrongroomError(
                    .outOfMemory,
                    """
                    Out of memory while the rest of a loop's rows was copied, because the loop writes to their table. \
                    Read the rows in parts, with `limit`.
                    """,
                    sql: statement.sql)
            }
        }
        return copy
    }

    private static func free(_ copy: Copy) {
        for value in copy { sqlite3_value_free(value) }
        copy.deallocate()
    }
}

extension Row {
    /// The current row of a loop.
    ///
    /// - Parameter rows: Must be retained as long as the row is used.
    @usableFromInline
    init(_ rows: OpenRows) { self.init(UnsafePointer(rows.current)) }
}

extension Connection {
    /// Registers the rows of a statement that a closure is to receive one at a time; nil on a connection that cannot
    /// write now. ``closeRows()`` ends it, in the reverse order.
    @usableFromInline
    func openRows(of statement: Statement) -> OpenRows? {
        guard role != .reader, !transaction.isKeptFromWriting else { return nil }
        let rows = OpenRows(statement, cancellation)
        transaction.openRows.append(rows)
        return rows
    }

    /// Ends what ``openRows(of:)`` has registered last.
    @usableFromInline
    func closeRows() {
        transaction.openRows.removeLast()
    }

    /// Called before tables are written to.
    ///
    /// A change of the schema copies nothing: the engine refuses it while rows of the table are read.
    @inline(__always)
    func copyOpenRows(beforeWritingTo tables: Set<String>) throws {
        guard !transaction.openRows.isEmpty, !tables.isEmpty, !tables.contains("sqlite_master") else { return }
        try copyRows(of: tables)
    }

    @inline(never)
    private func copyRows(of tables: Set<String>) throws {
        for rows in transaction.openRows where try !reads(of: rows.statement).isDisjoint(with: tables) {
            try rows.copyRest()
        }
    }
}

/// The dangling rows at a later time, split into new and existing ones.
struct DanglingComparison {
    /// A row with a dangling foreign key; the row id is nil if the table has none.
    struct Found: Sendable, Equatable {
        let table: String
        let rowID: Int64?
        let parent: String
    }

    /// The maximum number of rows in a message.
    static let maxNamed = 10
    /// The maximum number of rows in a report.
    static let maxListed = 100

    /// The first of the new dangling rows.
    private(set) var new: [Found] = []
    private(set) var newCount = 0
    /// The first of the dangling rows that existed before.
    private(set) var old: [Found] = []
    private(set) var oldCount = 0
    /// Whether the engine could check all foreign keys.
    private(set) var isComplete = true

    private let before: DanglingRows
    private let connection: Connection

    /// Compares the file's current state.
    ///
    /// - Throws: ``StrongroomError`` with `sql` for a foreign key that references columns that are not unique, unless
    ///   it existed before.
    init(since before: DanglingRows, _ connection: Connection, around table: String? = nil) throws {
        self.before = before
        self.connection = connection
        let keys = try connection.storedReferences(around: table)
        var loose: [StoredReference] = []
        for keys in keys {
            guard let child = keys.first?.child else { continue }
            switch try connection.danglingState(of: child) {
            case .none: continue
            case .unknown:
                isComplete = false
                try checkUnknown(keys)
            case .some:
                for key in keys where try !compareStrictly(key) { loose.append(key) }
            }
        }
        guard !loose.isEmpty else { return }
        var pool = try pool(keys.flatMap { $0 })
        for key in loose { try compareByValue(key, &pool) }
    }

    /// Throws for a foreign key that cannot be checked, unless the same one existed before.
    private func checkUnknown(_ keys: [StoredReference]) throws {
        let isOld = keys.contains { key in
            before.unchecked.contains(SQLName(key.child))
                || before.rows.values.contains {
                    $0.key.rootPage == key.rootPage && before.unchecked.contains(SQLName($0.key.child))
                }
        }
        guard !isOld, let child = keys.first?.child else { return }
        try connection.run("PRAGMA foreign_key_check(\(Identifier.quote(child)))")
    }

    /// Compares by row id.
    ///
    /// - Returns: Whether the comparison is conclusive; if not, only rows that existed before under the same row id
    ///   were counted.
    private mutating func compareStrictly(_ key: StoredReference) throws -> Bool {
        guard let known = before.rows[key.identity], key.rowID != nil, known.key.rowID != nil else { return false }
        let isSameTable = known.key.rootPage == key.rootPage
        var decides = true
        var (oldFound, newFound): ([Found], [Found]) = ([], [])
        var (oldTotal, newTotal) = (0, 0)
        try Self.merge(key, known.packed, connection) { id, _, isKnown in
            if isKnown {
                oldTotal += 1
                if oldFound.count < Self.maxListed {
                    oldFound.append(Found(table: key.child, rowID: id, parent: key.parent))
                }
            } else {
                decides = decides && isSameTable
                newTotal += 1
                if newFound.count < Self.maxNamed {
                    newFound.append(Found(table: key.child, rowID: id, parent: key.parent))
                }
            }
        }
        // For an unchanged rowid table the row ids are conclusive; for a rebuilt table the remaining rows are compared
        // by value.
        guard decides else { return false }
        old += oldFound.prefix(Self.maxListed - old.count)
        new += newFound.prefix(Self.maxNamed - new.count)
        oldCount += oldTotal
        newCount += newTotal
        return true
    }

    /// Walks the rows that dangle now, and determines which ones dangled before under the same row id and with the same
    /// values.
    ///
    /// - Parameter gone: Receives the values of rows that no longer dangle.
    private static func merge(
        _ key: StoredReference, _ packed: PackedRows, _ connection: Connection,
        gone: (ArraySlice<UInt8>) -> Void = { _ in },
        _ body: (_ id: Int64?, _ value: [UInt8], _ isKnown: Bool) -> Void
    ) throws {
        var reader = packed.reader()
        var next = reader.next()
        try connection.forEachDanglingRow(key) { id, value in
            while let old = next, let id, old.id < id {
                gone(old.value)
                next = reader.next()
            }
            if let old = next, old.id == id, old.value.elementsEqual(value) {
                body(id, value, true)
                next = reader.next()
            } else {
                body(id, value, false)
            }
        }
        while let old = next {
            gone(old.value)
            next = reader.next()
        }
    }

    // MARK: By value

    /// The values of dangling rows in tables that were renamed, rebuilt or have no row ids, and the number of rows for
    /// each.
    private func pool(_ now: [StoredReference]) throws -> [[UInt8]: Int] {
        let present = Dictionary(now.map { ($0.identity, $0) }) { first, _ in first }
        var pool: [[UInt8]: Int] = [:]
        for (identity, known) in before.rows where known.packed.count > 0 {
            if let key = present[identity], key.rowID != nil, known.key.rowID != nil {
                // For the same table the row ids are conclusive.
                guard key.rootPage != known.key.rootPage else { continue }
                try Self.merge(
                    key, known.packed, connection, gone: { pool[Array($0), default: 0] += 1 }, { _, _, _ in })
            } else {
                var reader = known.packed.reader()
                while let row = reader.next() { pool[Array(row.value), default: 0] += 1 }
            }
        }
        return pool
    }

    private mutating func compareByValue(_ key: StoredReference, _ pool: inout [[UInt8]: Int]) throws {
        var (found, total, oldFound): ([Found], Int, Int) = ([], 0, 0)
        var listed: [Found] = []
        func count(_ id: Int64?, _ value: [UInt8], _ isKnown: Bool) {
            let row = Found(table: key.child, rowID: id, parent: key.parent)
            if !isKnown {
                guard let left = pool[value], left > 0 else {
                    total += 1
                    if found.count < Self.maxNamed { found.append(row) }
                    return
                }
                pool[value] = left - 1
            }
            oldFound += 1
            if listed.count < Self.maxListed { listed.append(row) }
        }
        if let known = before.rows[key.identity], key.rowID != nil, known.key.rowID != nil {
            try Self.merge(key, known.packed, connection) { count($0, $1, $2) }
        } else {
            try connection.forEachDanglingRow(key) { count($0, $1, false) }
        }
        new += found.prefix(Self.maxNamed - new.count)
        old += listed.prefix(Self.maxListed - old.count)
        newCount += total
        oldCount += oldFound
    }
}

extension DanglingComparison.Found {
    /// A description for messages.
    var words: String {
        let number = rowID.map { " \($0)" } ?? ""
        return "row\(number) of table \"\(table)\" references a row of \"\(parent)\" that does not exist"
    }
}

extension DanglingComparison {
    /// A sentence about the new dangling rows, or nil if there are none.
    var sentence: String? {
        guard newCount > 0 else { return nil }
        let rest = newCount - new.count
        let text = new.map(\.words).joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
        return "\(text.prefix(1).uppercased())\(text.dropFirst())."
    }

    /// Throws if there are new dangling rows.
    ///
    /// - Throws: ``StrongroomError`` with `constraint`; the message names table, row and parent of the first rows, and
    ///   the number of the others.
    func refuseNew() throws {
        guard let sentence, let first = new.first else { return }
        var error = StrongroomError(.constraint, sentence, database: connection.database)
        error.constraint = ConstraintFailure(kind: .foreignKey, table: first.table, parentTable: first.parent)
        throw error
    }
}

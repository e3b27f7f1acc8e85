#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The columns that a table keeps by itself; see ``KeptColumn``.
extension Table {
    /// The record as an insert stores it.
    @usableFromInline
    static func stamped(
        _ record: RecordType, _ upkeep: _RecordUpkeep<RecordType>, on connection: Connection
    ) throws -> RecordType {
        if let defect = upkeep.defect { throw defect }
        var copy = record
        upkeep.stampNew(&copy, connection.writeTime)
        return copy
    }

    /// Sets in a record what a write has stored: its key, and the columns that the table keeps.
    @inlinable
    static func adopt(_ key: Key, _ outcome: Saved, in record: inout RecordType, on connection: Connection) {
        setKey(key, of: &record)
        guard let upkeep = RecordType._upkeep else { return }
        follow(outcome, upkeep, in: &record, on: connection)
    }

    @usableFromInline
    static func follow(
        _ outcome: Saved, _ upkeep: _RecordUpkeep<RecordType>, in record: inout RecordType, on connection: Connection
    ) {
        switch outcome {
        case .inserted: upkeep.stampNew(&record, connection.writeTime)
        case .updated: upkeep.stampNext(&record, connection.writeTime)
        case .deleted: break
        }
    }

    /// Whether an update without some columns, by their indices, writes none; the key is never written.
    @usableFromInline
    static func writesNone(except leftOut: [Int]) throws -> Bool {
        let keys = try schema.keyColumns().map(\.name)
        let columns = RecordType.columnNames
        return columns.indices.allSatisfy { index in
            leftOut.contains(index) || Identifier.index(of: columns[index], in: keys) != nil
        }
    }

    /// Writes a record with the columns that the table keeps to the row with a key.
    ///
    /// - Returns: False if there is no such row.
    @usableFromInline
    static func updateKept(
        _ record: RecordType, _ upkeep: _RecordUpkeep<RecordType>, at key: Key, _ operation: Int,
        except leftOut: [Int], on connection: Connection
    ) throws -> Bool {
        if let defect = upkeep.defect { throw defect }
        // Without a column to write, nothing is changed, and the statement reports whether there is a row.
        guard try !writesNone(except: leftOut) else {
            return try updateRow(record, at: key, operation, except: leftOut, on: connection)
        }
        var next = record
        upkeep.stampNext(&next, connection.writeTime)
        let left = upkeep.leftOut(leftOut)
        if try updateRow(next, at: key, operation, except: left, on: connection) { return true }
        guard let version = upkeep.version, try isPresent(key, on: connection) else { return false }
        guard let known = version.get(record),
            try storedVersion(version.column, of: key, on: connection) == .integer(known)
        else { throw schema.staleRecord }
        throw schema.ignoredUpdate
    }

    private static func storedVersion(_ column: String, of key: Key, on connection: Connection) throws -> SQLValue? {
        let keys = try schema.keyColumns().map { "\(Identifier.quote($0.name)) = ?" }.joined(separator: " AND ")
        let sql = "SELECT \(Identifier.quote(column)) FROM \(schema.quotedName) WHERE \(keys)"
        return try connection.withOwnStatement(sql, try plainValues(of: key)) { statement in
            try statement.step() ? try Row(statement).value(at: 0) : nil
        }
    }

    /// Assignments together with those of the columns that the table keeps and that are not assigned.
    static func completed(_ assignments: [Assignment], isNew: Bool, on connection: Connection) throws -> [Assignment] {
        guard let upkeep = RecordType._upkeep else { return assignments }
        if let defect = upkeep.defect { throw defect }
        var all = assignments
        func add(_ column: String?, _ value: (ColumnDefinition) throws -> SQL) rethrows {
            guard let column, !all.contains(where: { Identifier.areSame($0.column, column) }),
                let definition = schema.columns.first(where: { Identifier.areSame($0.name, column) })
            else { return }
            all.append(Assignment(column: definition.name, value: try value(definition)))
        }
        func time(_ definition: ColumnDefinition) throws -> SQL {
            "\(try definition.quoted.stored(connection.writeTime))"
        }
        try add(upkeep.updated?.column, time)
        if isNew { try add(upkeep.created?.column, time) }
        try add(upkeep.version?.column) { definition in
            isNew ? "\(try definition.defaultValue?.get() ?? .integer(0))" : "\(definition.quoted) + 1"
        }
        return all
    }
}

extension Connection {
    /// The time of the writes of the current transaction: that of the first one that needs a time.
    var writeTime: Date {
        let seconds = transaction.writeTime ?? Date().timeIntervalSinceReferenceDate
        transaction.writeTime = seconds
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

extension TableSchema {
    fileprivate var ignoredUpdate: StrongroomError {
        StrongroomError(
            .writeRefused,
            """
            A trigger of table "\(name)" ignored the update, so the row is as it was; fix the trigger or the \
            record.
            """)
    }

    var staleRecord: StrongroomError {
        StrongroomError(
            .staleRecord,
            """
            The row of table "\(name)" has changed since the record was read; nothing was written. Read the \
            record again, repeat the change in it, and write it then.
            """)
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The columns that a table keeps by itself whenever a record is written: a version, and the times of a row's creation
/// and of its last update.
///
/// `@Column(kept:)` declares them.
///
/// The version makes an update optimistic: a record is written only if its row still has the version with which the
/// record was read, and the row then has the next one. Otherwise the write throws ``StrongroomError`` with
/// `staleRecord`, and nothing is changed. `insert` stores the version that the record has.
///
/// A time is that of the first write in the transaction for which one is needed: rows that are written in one
/// transaction have one time. The creation time is set by an insert, unless the property is an optional that has a
/// value, and never changed by a later write of the record; the update time is set by each write.
///
/// All of this holds for every operation that writes records (`insert`, `update`, `upsert`, `save`, one record, a list,
/// some columns, dictionaries or JSON). An `update` with assignments sets the update time and increments the version,
/// unless they are assigned, and checks no version. SQL of the program, and other programs, do what they say: they
/// change these columns only where they name them.
public struct _RecordUpkeep<R: Record>: Sendable {
    struct Version: Sendable {
        let column: String
        let index: Int
        let advance: @Sendable (inout R) -> Void
        let get: @Sendable (R) -> Int64?
    }

    struct Time: Sendable {
        let column: String
        let index: Int
        let set: @Sendable (inout R, Date) -> Void
    }

    private(set) var version: Version?
    private(set) var created: Time?
    private(set) var updated: Time?
    /// Copies of the columns from one record to another.
    private var copies: [@Sendable (_ record: R, _ other: inout R) -> Void] = []
    /// The error for a column that the record does not have.
    private(set) var defect: StrongroomError?

    /// No column.
    public init() {}

    /// Adds the version, an integer by which updates notice that the row has changed since the record was read.
    public func version<V: FixedWidthInteger & ColumnValue>(
        _ property: any WritableKeyPath<R, V> & Sendable, _ column: String
    ) -> _RecordUpkeep {
        adding(property, column) { copy, index in
            copy.version = Version(
                column: column, index: index, advance: { record in record[keyPath: property] &+= 1 },
                get: { record in Int64(exactly: record[keyPath: property]) })
        }
    }

    /// Adds the time at which a row is inserted.
    public func created(_ property: any WritableKeyPath<R, Date> & Sendable, _ column: String) -> _RecordUpkeep {
        adding(property, column) { copy, index in
            copy.created = Time(column: column, index: index) { $0[keyPath: property] = $1 }
        }
    }

    /// Adds the time at which a row is inserted; a value that a record has already is kept.
    public func created(_ property: any WritableKeyPath<R, Date?> & Sendable, _ column: String) -> _RecordUpkeep {
        adding(property, column) { copy, index in
            copy.created = Time(column: column, index: index) { record, now in
                if record[keyPath: property] == nil { record[keyPath: property] = now }
            }
        }
    }

    /// Adds the time at which a row is written.
    public func updated(_ property: any WritableKeyPath<R, Date> & Sendable, _ column: String) -> _RecordUpkeep {
        adding(property, column) { copy, index in
            copy.updated = Time(column: column, index: index) { $0[keyPath: property] = $1 }
        }
    }

    /// Adds the time at which a row is written.
    public func updated(_ property: any WritableKeyPath<R, Date?> & Sendable, _ column: String) -> _RecordUpkeep {
        adding(property, column) { copy, index in
            copy.updated = Time(column: column, index: index) { $0[keyPath: property] = $1 }
        }
    }

    private func adding<V>(
        _ property: any WritableKeyPath<R, V> & Sendable, _ column: String, _ add: (inout _RecordUpkeep, Int) -> Void
    ) -> _RecordUpkeep {
        var copy = self
        copy.copies.append { $1[keyPath: property] = $0[keyPath: property] }
        if let index = Identifier.index(of: column, in: R.columnNames) {
            add(&copy, index)
        } else {
            let message =
                "\(R.self) has no column \"\(column)\" that the table could keep; declare it with `@Column(kept:)`."
            copy.defect = copy.defect ?? StrongroomError(.invalidDeclaration, message)
        }
        return copy
    }
}

extension _RecordUpkeep {
    @usableFromInline var versionIndex: Int? { version?.index }

    /// Sets the times of a record that is inserted; the same record and time give the same result again.
    func stampNew(_ record: inout R, _ now: Date) {
        created?.set(&record, now)
        updated?.set(&record, now)
    }

    /// The value of a kept column in a new record for which none is given: the first version, or a time that is
    /// replaced when the record is inserted; nil for a column that is not kept.
    func placeholder(for column: ColumnDefinition) throws -> SQLValue? {
        if let version, Identifier.areSame(version.column, column.name) { return .integer(0) }
        guard [created, updated].contains(where: { $0.map { Identifier.areSame($0.column, column.name) } ?? false })
        else { return nil }
        return try column.dateForm?.stored(seconds: 0) ?? .real(0)
    }

    /// Sets the time of a record that is written to its row, and its next version.
    func stampNext(_ record: inout R, _ now: Date) {
        updated?.set(&record, now)
        version?.advance(&record)
    }

    /// The indices of columns that are not written to an existing row: also those that the operation leaves out.
    func leftOut(_ leftOut: [Int]) -> [Int] {
        let kept = [version?.index, updated?.index]
        let others = leftOut.filter { !kept.contains($0) }
        guard let created, !others.contains(created.index) else { return others }
        return (others + [created.index]).sorted()
    }

    package func copy(from record: R, to other: inout R) {
        for copy in copies { copy(record, &other) }
    }

    /// The columns that are written besides those of a change.
    var alwaysWritten: [Int] { [version?.index, updated?.index].compactMap(\.self) }
}

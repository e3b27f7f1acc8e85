/// The rows of a table that commits have changed.
public enum ChangedRows<Key: TableKey>: Sendable, Equatable {
    /// The primary keys of rows that were inserted, updated or deleted.
    case keys(Set<Key>)
    /// Any row may have changed: another process has committed, or the engine does not report the rows.
    case unknown
}

/// The primary keys of the rows that commits have changed; commits between two iterations are combined into one
/// element.
///
/// ```swift
/// for try await rows in store.rowChanges(in: Contact.self) {
///     switch rows {
///     case .keys(let keys): try await index.update(keys)
///     case .unknown: try await index.rebuild()
///     }
/// }
/// ```
///
/// The sequence ends when the store is closed, and throws `CancellationError` if the task is cancelled.
public struct RowChanges<Source: Table>: AsyncSequence, Sendable {
    public typealias Element = ChangedRows<Source.Key>

    let broadcaster: ChangeBroadcaster

    public func makeAsyncIterator() -> Iterator {
        let table = TableUse.name(Source.schema.name)
        let columns = Source.schema.primaryKeys.map { TableUse.name($0.name) }
        let key = ObservedKey(columns: columns, isRowID: Source.schema.rowIDColumn != nil)
        return Iterator(
            observer: ChangeObserver(broadcaster, tables: [table], rowsOf: ObservedRows(table: table, key: key)))
    }

    /// Waits for the changes of ``RowChanges``; commits after its creation are not missed.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let observer: ChangeObserver

        /// Waits for a change.
        ///
        /// - Returns: The changed rows; nil when the store is closed.
        /// - Throws: `CancellationError`.
        public mutating func next() async throws -> ChangedRows<Source.Key>? {
            guard try await observer.wait() else { return nil }
            guard case .rows(let rows) = observer.removeRows() else { return .unknown }
            var keys: Set<Source.Key> = []
            for row in rows {
                // A key that the type cannot hold.
                guard let key = try? Self.key(row) else { return .unknown }
                keys.insert(key)
            }
            return .keys(keys)
        }

        private static func key(_ row: ChangedRow) throws -> Source.Key {
            let values: [Value]
            switch row {
            case .id(let number):
                if let key = Source.Key.generated(rowID: number) { return key }
                values = [.integer(number)]
            case .key(let key): values = key
            }
            var list = ValueList(Source.schema.primaryKeys.map(\.name))
            list.values = values
            return try withUnsafePointer(to: list) { try Source.readKey(from: Row($0), at: 0) }
        }
    }
}

extension Store {
    /// Reports the primary keys of the rows that commits change in a table.
    ///
    /// A commit that changes no row of the table is not reported. The rows are ``ChangedRows/unknown`` after a commit
    /// of another process, after changes of the schema, when a statement, a trigger or an index mentions REPLACE, which
    /// deletes rows that the engine does not report, and for more than 100,000 rows. Where the key is an integer, also
    /// when a statement changes the key of a row, or empties a table.
    ///
    /// Rows are recorded only during an iteration: integer keys by the engine, any other key by temporary triggers of
    /// the connection that writes, which leave nothing in the file.
    ///
    /// - Parameter table: The table.
    /// - Returns: The changes since the start of the iteration.
    public func rowChanges<Source: Table>(in table: Source.Type) -> RowChanges<Source> {
        RowChanges(broadcaster: pool.broadcaster)
    }
}

/// An element after each commit that has written a table; commits between two iterations are combined into one element.
///
/// ```swift
/// for try await _ in store.changes(in: Contact.self) {
///     await badge.refresh()
/// }
/// ```
///
/// The sequence ends when the store is closed, and throws `CancellationError` if the task is cancelled. A commit of
/// another process counts for every table, see ``StoreSettings/foreignChanges``.
public struct TableChanges: AsyncSequence, Sendable {
    public typealias Element = Void

    let broadcaster: ChangeBroadcaster
    let tables: Set<String>

    static func names(_ tables: [any Table.Type]) -> Set<String> {
        Set(tables.map { TableUse.name($0.schema.name) })
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(observer: ChangeObserver(broadcaster, tables: tables))
    }

    /// Waits for the changes of ``TableChanges``; commits after its creation are not missed.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let observer: ChangeObserver

        /// Waits for a change.
        ///
        /// - Returns: Nil when the store is closed.
        /// - Throws: `CancellationError`.
        public mutating func next() async throws -> Void? {
            guard try await observer.wait() else { return nil }
            observer.begin()
            return ()
        }
    }
}

extension Store {
    /// Reports each commit that has written one of some tables.
    ///
    /// A statement that could have written a table counts even if it matched no row.
    ///
    /// - Parameter tables: The tables.
    /// - Returns: The changes since the start of the iteration.
    public func changes(in tables: any Table.Type...) -> TableChanges {
        TableChanges(broadcaster: pool.broadcaster, tables: TableChanges.names(tables))
    }
}

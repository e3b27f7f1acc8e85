/// The key of a table whose changed rows are observed.
struct ObservedKey: Equatable {
    /// The columns in the declared order, in lower case.
    let columns: [String]
    /// Whether it is declared as the row id.
    let isRowID: Bool
}

/// A row that has changed: its row id, or the values of its key.
enum ChangedRow: Hashable {
    case id(Int64)
    case key([Value])
}

/// The rows of a table that commits have changed.
enum ChangedRowIDs: Equatable {
    case rows(Set<ChangedRow>)
    /// Any row may have changed.
    case unknown

    private static let most = RowRecorder.most

    mutating func insert(_ row: ChangedRow) {
        guard case .rows(var rows) = self else { return }
        self = .unknown
        rows.insert(row)
        if rows.count <= Self.most { self = .rows(rows) }
    }

    mutating func formUnion(_ other: ChangedRowIDs) {
        guard case .rows(var rows) = self, case .rows(let added) = other else { return self = .unknown }
        rows.formUnion(added)
        self = rows.count <= Self.most ? .rows(rows) : .unknown
    }

    var isEmpty: Bool { self == .rows([]) }
}

/// Finds intact pages with rows that no page refers to any more, because one above them is damaged.
struct OrphanSearch {
    let contents: PageContents
    /// The pages that belong to trees.
    private(set) var reached: PageSet
    let damaged: PageSet
    /// The row layouts of the trees that may have lost pages, by the indices of the trees.
    let layouts: [Int: RowLayout]
    /// The trees among these that are tables with row ids.
    let haveRowIDs: Set<Int>
    let checkCancellation: () throws -> Void

    /// Reads every page, except for the unused ones, whose rows were deleted.
    ///
    /// - Parameter found: Called with each branch, in the order of their first pages.
    mutating func run(without free: FreeList, found: (OrphanedBranch) throws -> Void) throws {
        let header = try contents.content(of: 1).flatMap(DatabaseHeader.init)
        let layout = contents.cipher.layout
        var tops = PageSet(pages: contents.pages.count)
        var below = tops
        for number in 1...max(1, contents.pages.count) {
            guard !reached.contains(number), !damaged.contains(number), number != layout.lockBytePage,
                !free.leaves.contains(number), !free.trunks.contains(number),
                header?.hasPointerMap != true || !layout.isPointerMap(number)
            else { continue }
            try checkCancellation()
            guard let page = try page(number) else { continue }
            tops.insert(number)
            for child in page.children { below.insert(child) }
        }
        for number in 1...max(1, contents.pages.count) where tops.contains(number) && !below.contains(number) {
            // An overflow page of an earlier branch may look like a page of a tree.
            guard !reached.contains(number), let page = try page(number) else { continue }
            let branch = try branch(number, hasRowIDs: page.isTable)
            if branch.rows > 0 || !branch.gaps.isEmpty { try found(branch) }
        }
    }

    private func page(_ number: Int) throws -> TreePage? {
        guard let page = try contents.content(of: number).flatMap({ TreePage($0, isFirst: number == 1) }),
            page.isConsistent
        else { return nil }
        return page
    }

    private mutating func branch(_ top: Int, hasRowIDs: Bool) throws -> OrphanedBranch {
        let layouts = layouts.filter { haveRowIDs.contains($0.key) == hasRowIDs }
        var branch = OrphanedBranch(top: top, hasRowIDs: hasRowIDs, fits: layouts.mapValues { _ in .typical })
        var walk = TreeWalk(contents: contents)
        // Index entries are looked up by values of any length, rows by their ids and short values.
        walk.rowContent = .beginning
        try walk.walk(top) { event in
            switch event {
            case .page(let number):
                try checkCancellation()
                reached.insert(number)
                if damaged.contains(number) { branch.damaged.append(number) }
            case .node: break
            case .row(let id, let record, let isReadable): branch.add(id, record, isReadable: isReadable, layouts)
            case .unreadable(let gap): branch.gaps.append(gap)
            }
        }
        return branch
    }
}

/// An intact page with rows that no other page refers to any more, together with the pages below it.
struct OrphanedBranch {
    /// Its first page.
    let top: Int
    /// Whether it belongs to a table with row ids.
    let hasRowIDs: Bool
    /// How well the rows match the layout of each candidate tree.
    var fits: [Int: RowLayout.Fit]
    /// The range of the row ids; nil if there are none.
    private(set) var range: ClosedRange<Int64>?
    private(set) var rows = 0
    /// The damaged pages that it refers to.
    var damaged: [Int] = []
    /// Its pages that cannot be read.
    var gaps: [TreeWalk.Gap] = []
    /// The first rows, for lookups in indexes.
    var samples: [(id: Int64, record: WipedBytes)] = []
    /// The trees whose indexes contain the rows.
    var confirmed: Set<Int> = []

    private static let maxSamples = 4

    /// Adds a row of the branch.
    ///
    /// - Parameters:
    ///   - record: The first bytes of its record.
    ///   - isReadable: Whether the record can be read to its end.
    mutating func add(_ id: Int64?, _ record: WipedBytes, isReadable: Bool, _ layouts: [Int: RowLayout]) {
        rows += 1
        if let id { range = min(range?.lowerBound ?? id, id)...max(range?.upperBound ?? id, id) }
        // If the types alone are longer than the local part of the record, they give no evidence.
        guard let types = RecordFields.types(record) else { return }
        for (tree, fit) in fits where fit > .impossible {
            fits[tree] = min(fit, layouts[tree]?.fit(types) ?? .impossible)
        }
        if isReadable, samples.count < Self.maxSamples { samples.append((id ?? 0, record)) }
    }
}

/// The layout of a table's rows or an index's entries in their pages, according to the schema.
struct RowLayout {
    /// The type affinity of a column ("Datatypes In SQLite", section 3,
    /// sqlite.org/datatype3.html).
    enum Affinity {
        case text, numeric, integer, real, blob
        /// No conversion, because no type is declared.
        case any

        init(_ declaredType: String) {
            let type = declaredType.uppercased()
            self =
                if type.isEmpty || type == "ANY" {
                    .any
                } else if type.contains("INT") {
                    .integer
                } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
                    .text
                } else if type.contains("BLOB") {
                    .blob
                } else if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) {
                    .real
                } else {
                    .numeric
                }
        }
    }

    struct Column {
        let affinity: Affinity
        let isNullable: Bool
        /// Whether it is an alias of the row id, for which NULL is stored.
        var isRowID = false
        /// Whether it may have been added to the table later, so that older rows end before it.
        var mayBeMissing = false
    }

    /// How well a row matches.
    enum Fit: Int, Comparable {
        /// The engine never stores such a row in this table or index.
        case impossible
        /// The row is possible, with values of other types than declared.
        case possible
        /// The values have the declared types.
        case typical

        static func < (one: Fit, other: Fit) -> Bool { one.rawValue < other.rawValue }
    }

    let columns: [Column]

    /// How well a row matches.
    ///
    /// - Parameter types: The serial types of its values, as returned by ``RecordFields/types(_:)``.
    func fit(_ types: [Int64]) -> Fit {
        guard types.count <= columns.count, !types.isEmpty else { return .impossible }
        guard columns[types.count...].allSatisfy(\.mayBeMissing) else { return .impossible }
        let fits = zip(types, columns).map { $1.fit($0) }
        let least = fits.min() ?? .impossible
        return types.count < columns.count ? min(least, .possible) : least
    }
}

extension RowLayout.Column {
    fileprivate func fit(_ type: Int64) -> RowLayout.Fit {
        if isRowID { return type == 0 ? .typical : .impossible }
        if type == 0 { return isNullable ? .typical : .impossible }
        let isText = type >= 13 && !type.isMultiple(of: 2)
        let isBlob = type >= 12 && type.isMultiple(of: 2)
        let isReal = type == 7
        switch affinity {
        case .any: return .typical
        case .blob: return isBlob ? .typical : .possible
        case .text: return isText ? .typical : isBlob ? .possible : .impossible
        case .integer: return isText || isBlob || isReal ? .possible : .typical
        case .real: return isText || isBlob ? .possible : .typical
        case .numeric: return isBlob ? .possible : .typical
        }
    }
}

extension Connection {
    func hasRowIDs(_ table: String) -> Bool {
        // The engine resolves at least one of the row id's names, if the table has row ids.
        objection(to: "SELECT rowid, oid, _rowid_ FROM \(Identifier.quote(table))") == nil
    }

    /// The columns of an index's entries: their indices in the table, negative for the row id and for expressions.
    func indexColumns(of index: String) throws -> [(column: Int, name: String?, isKey: Bool)] {
        var columns: [(column: Int, name: String?, isKey: Bool)] = []
        try withOwnStatement("PRAGMA index_xinfo(\(Identifier.quote(index)))") { statement in
            let row = Row(statement)
            while try statement.step() {
                columns.append(
                    (
                        try Int(row.integer(at: 1)), try row.textIfPresent(at: 2),
                        try row.integer(at: 5) != 0
                    ))
            }
        }
        return columns
    }

    /// The column that is an alias of the row id; nil if there is none.
    func rowIDColumn(of table: String, _ columns: [ColumnInfo]) throws -> Int? {
        let keys = columns.indices.filter { columns[$0].keyPosition != nil }
        guard keys.count == 1, columns[keys[0]].declaredType.uppercased() == "INTEGER", hasRowIDs(table) else {
            return nil
        }
        // `INTEGER PRIMARY KEY DESC` is not an alias; the engine creates an index for it.
        return try indexFacts(of: table).contains(where: \.isPrimaryKey) ? nil : keys[0]
    }

    func rowLayout(ofTable table: String) throws -> RowLayout {
        let columns = try columnInfos(of: table)
        let alias = try rowIDColumn(of: table, columns)
        return RowLayout(
            columns: columns.stored(hasRowIDs: hasRowIDs(table)).map { index in
                let column = columns[index]
                return RowLayout.Column(
                    affinity: .init(column.declaredType), isNullable: column.isNullable || index == alias,
                    isRowID: index == alias,
                    mayBeMissing: column.keyPosition == nil && (column.isNullable || column.defaultSQL != nil))
            })
    }

    /// The layout of an index's entries in its pages.
    func rowLayout(ofIndex index: String, table: String) throws -> RowLayout {
        let columns = try columnInfos(of: table)
        return RowLayout(
            columns: try indexColumns(of: index).map { entry in
                guard columns.indices.contains(entry.column) else {
                    return RowLayout.Column(
                        affinity: entry.column == -1 ? .integer : .any, isNullable: entry.column != -1)
                }
                let column = columns[entry.column]
                return RowLayout.Column(affinity: .init(column.declaredType), isNullable: column.isNullable)
            })
    }
}

extension [ColumnInfo] {
    /// The columns that are stored in a row's record, by their indices in the table, in their order there.
    func stored(hasRowIDs: Bool) -> [Int] {
        let stored = indices.filter { self[$0].generated != .virtual && !self[$0].isHidden }
        guard !hasRowIDs else { return stored }
        // In a table without row ids the primary key comes first.
        let keys = stored.filter { self[$0].keyPosition != nil }
            .sorted { (self[$0].keyPosition ?? 0) < (self[$1].keyPosition ?? 0) }
        return keys + stored.filter { self[$0].keyPosition == nil }
    }
}

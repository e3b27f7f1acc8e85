/// The tables to which the rows of a damaged file belong: rows that can be reached from the schema, and rows that are
/// found by reading every page.
///
/// A damaged interior page of a table hides intact pages. They belong to the only table that has lost such a page; if
/// several tables have, the row ids, the values' types and the indexes decide, and if these are not conclusive, the
/// rows are not attributed.
final class SalvagePlan {
    let contents: PageContents
    let encoding: EncodedText.Encoding
    let survey: TreeSurvey
    private let free: FreeList
    private let evidence: IndexEvidence
    private let damaged: [Int]
    private var branches: [OrphanedBranch] = []
    /// The tree of a branch and the unreadable page above it, by the index of the branch.
    private var positions: [Int: (tree: Int, gap: Int)] = [:]
    /// The damaged pages whose owner is unknown.
    private var unowned: [Int] = []
    private var owners: [Int: DamagedPage.Owner] = [:]

    init(
        _ contents: PageContents, _ entries: [SchemaEntry], damaged: [Int], _ connection: Connection,
        encoding: EncodedText.Encoding, checkCancellation: @escaping () throws -> Void
    ) throws {
        self.contents = contents
        self.encoding = encoding
        self.damaged = damaged
        let pages = PageSet(pages: contents.pages.count, damaged)
        survey = try TreeSurvey(
            contents, entries, damaged: pages, hasRowIDs: connection.hasRowIDs, checkCancellation: checkCancellation)
        free = try FreeList(contents)
        evidence = IndexEvidence(connection: connection, survey: survey, encoding: encoding)
        owners = survey.owners
        let open = survey.trees.indices.filter { !survey.trees[$0].openGaps.isEmpty }
        if !open.isEmpty { try search(open, pages, connection, checkCancellation) }
        try attribute(connection)
    }

    // MARK: Results

    /// The branches that belong below an unreadable page of a table, in the order of their row ids.
    func branches(of table: String, below gap: TreeWalk.Gap) -> [OrphanedBranch] {
        branches.indices
            .filter { index in
                guard let position = positions[index] else { return false }
                return position.gap == gap.page && survey.trees[position.tree].root.name.isSameName(as: table)
            }
            .map { branches[$0] }
            .sorted { ($0.range?.lowerBound ?? 0) < ($1.range?.lowerBound ?? 0) }
    }

    /// Whether everything below an unreadable page of a table was found.
    func isComplete(_ table: String, below gap: TreeWalk.Gap) -> Bool {
        guard unowned.isEmpty, let tree = survey.trees.firstIndex(where: { $0.root.name.isSameName(as: table) }) else {
            return false
        }
        // An interior page of an index contains entries of its own.
        guard survey.trees[tree].hasRowIDs, !branches(of: table, below: gap).isEmpty else { return false }
        return unattributed.allSatisfy { gaps(for: $0, in: tree).isEmpty }
    }

    /// The branches whose table is unknown, with the names of the possible tables.
    var unattributedBranches: [(branch: OrphanedBranch, tables: [String])] {
        unattributed.compactMap { branch in
            let tables = candidates(of: branch).map { survey.trees[$0].root }.filter { $0.kind != .index }.map(\.name)
            // Indexes are rebuilt, and rows of no table were deleted, unless every unused page is known.
            guard !tables.isEmpty || (branch.hasRowIDs && free.isComplete) else { return nil }
            return (branch, tables)
        }
    }

    /// Whether the rows whose table is unknown may include deleted ones.
    var mayHaveDeletedRows: Bool { !free.isComplete }

    /// The damaged pages and their owners.
    var damagedPages: [DamagedPage] {
        damaged.map { DamagedPage(number: $0, owner: owners[$0] ?? .unknown) }
    }

    // MARK: Finding

    private func search(
        _ open: [Int], _ damaged: PageSet, _ connection: Connection, _ checkCancellation: @escaping () throws -> Void
    ) throws {
        let layouts = try Dictionary(uniqueKeysWithValues: open.map { ($0, try layout(of: $0, connection)) })
        var search = OrphanSearch(
            contents: contents, reached: survey.reached, damaged: damaged, layouts: layouts,
            haveRowIDs: Set(open.filter { survey.trees[$0].hasRowIDs }), checkCancellation: checkCancellation)
        try search.run(without: free) { found in
            var branch = found
            for tree in branch.fits.keys where gaps(for: branch, in: tree).isEmpty { branch.fits[tree] = .impossible }
            try consultIndexes(connection, about: &branch)
            branch.samples = []
            branches.append(branch)
        }
    }

    private func layout(of tree: Int, _ connection: Connection) throws -> RowLayout {
        let root = survey.trees[tree].root
        return root.kind == .index
            ? try connection.rowLayout(ofIndex: root.name, table: root.table)
            : try connection.rowLayout(ofTable: root.name)
    }

    /// Consults the indexes if there are several candidates, or if the list of unused pages is damaged.
    private func consultIndexes(_ connection: Connection, about branch: inout OrphanedBranch) throws {
        let candidates = candidates(of: branch)
        guard branch.hasRowIDs, candidates.count > 1 || !free.isComplete else { return }
        for tree in candidates {
            switch try evidence.answer(of: survey.trees[tree].root.name, to: branch.samples) {
            case .present: branch.confirmed.insert(tree)
            case .absent: branch.fits[tree] = .impossible
            case .unknown: break
            }
        }
    }

    /// The trees to which a branch may belong.
    private func candidates(of branch: OrphanedBranch) -> [Int] {
        let possible = branch.fits.filter { $0.value > .impossible }.keys.sorted()
        let confirmed = possible.filter(branch.confirmed.contains)
        return confirmed.isEmpty ? possible : confirmed
    }

    /// The unreadable pages of a tree below which a branch may have been.
    private func gaps(for branch: OrphanedBranch, in tree: Int) -> [TreeWalk.Gap] {
        guard branch.fits[tree] ?? .impossible > .impossible else { return [] }
        return survey.trees[tree].openGaps.filter { gap in
            branch.range.map { gap.range.contains($0.lowerBound) && gap.range.contains($0.upperBound) } ?? true
        }
    }

    // MARK: Deciding

    private func attribute(_ connection: Connection) throws {
        for branch in branches { for page in branch.damaged { owners[page] = .unknown } }
        try contents.nameUnused(damaged, &owners)
        unowned = damaged.filter { owners[$0] == nil }
        var isChanged = true
        while isChanged {
            isChanged = false
            for index in branches.indices where positions[index] == nil {
                guard let position = position(of: index) else { continue }
                positions[index] = position
                for page in branches[index].damaged { owners[page] = survey.trees[position.tree].root.owner }
                isChanged = true
            }
        }
    }

    private func position(of index: Int) -> (tree: Int, gap: Int)? {
        let branch = branches[index]
        var trees = candidates(of: branch).filter { tree in !overlaps(index, tree) }
        let typical = trees.filter { branch.fits[$0] == .typical }
        if trees.count > 1, typical.count == 1 { trees = typical }
        guard trees.count == 1, let tree = trees.first else { return nil }
        // If not every deleted row is known, a row that an index contains may be an older version of a row elsewhere.
        let isCurrent = branch.confirmed.contains(tree) && unowned.isEmpty && !meetsOther(index, tree)
        guard free.isComplete || isCurrent, let gap = gaps(for: branch, in: tree).first else { return nil }
        return (tree, gap.page)
    }

    /// Whether the row ids of a branch overlap those of another branch that belongs to the tree.
    private func overlaps(_ index: Int, _ tree: Int) -> Bool {
        positions.contains { other, position in
            position.tree == tree && Self.overlap(branches[other].range, branches[index].range)
        }
    }

    /// Whether the row ids of a branch overlap those of another branch that may belong to the tree.
    private func meetsOther(_ index: Int, _ tree: Int) -> Bool {
        branches.indices.contains { other in
            other != index && candidates(of: branches[other]).contains(tree)
                && Self.overlap(branches[other].range, branches[index].range)
        }
    }

    private static func overlap(_ one: ClosedRange<Int64>?, _ other: ClosedRange<Int64>?) -> Bool {
        guard let one, let other else { return false }
        return one.overlaps(other)
    }

    private var unattributed: [OrphanedBranch] { branches.indices.filter { positions[$0] == nil }.map { branches[$0] } }
}

/// What the pages of a damaged file reveal about each table and index of its schema.
struct TreeSurvey {
    struct Tree {
        let root: SchemaEntry
        let hasRowIDs: Bool
        fileprivate(set) var gaps: [TreeWalk.Gap] = []
        /// The number of rows or entries found.
        fileprivate(set) var rows = 0
        /// The depth of leaf pages below the root page; nil if none was found.
        fileprivate(set) var leafDepth: Int?

        /// The unreadable pages below which other pages may be.
        var openGaps: [TreeWalk.Gap] { gaps.filter { gap in leafDepth.map { gap.depth < $0 } ?? true } }
    }

    private(set) var trees: [Tree] = []
    /// The pages that belong to any of the trees.
    private(set) var reached: PageSet
    /// The damaged pages whose owners are known.
    private(set) var owners: [Int: DamagedPage.Owner] = [:]

    /// Walks all trees.
    ///
    /// - Parameter count: The number of damaged pages after whose owners are known no further tree is walked.
    init(
        _ contents: PageContents, _ entries: [SchemaEntry], damaged: PageSet, until count: Int = .max,
        hasRowIDs: (String) -> Bool = { _ in false }, checkCancellation: () throws -> Void
    ) throws {
        reached = PageSet(pages: contents.pages.count)
        let walk = TreeWalk(contents: contents)
        for root in [.schemaTable] + entries where root.page > 0 && owners.count < count {
            var tree = Tree(root: root, hasRowIDs: root.kind != .index && hasRowIDs(root.name))
            try walk.walk(root.page) { event in
                switch event {
                case .page(let number):
                    try checkCancellation()
                    reached.insert(number)
                    if damaged.contains(number), owners[number] == nil { owners[number] = root.owner }
                case .node(let depth, isLeaf: true): tree.leafDepth = tree.leafDepth ?? depth
                case .node: break
                case .row: tree.rows += 1
                case .unreadable(let gap): tree.gaps.append(gap)
                }
            }
            trees.append(tree)
        }
    }

    /// The row count of a table, according to an index whose pages are all readable; nil if there is none.
    func rowCount(of table: String, _ connection: Connection) throws -> Int? {
        let counted = Set(try connection.indexFacts(of: table).filter { !$0.isPartial }.map(\.name))
        return trees.first { $0.root.kind == .index && $0.gaps.isEmpty && counted.contains($0.root.name) }?.rows
    }
}

/// Determines from intact indexes whether rows belong to a table.
struct IndexEvidence {
    enum Answer {
        /// Each of the rows is in an index of the table.
        case present
        /// None of the rows is, although the table has an index of all its rows.
        case absent
        /// The table has no usable index, or the index contains some of the rows.
        case unknown
    }

    let connection: Connection
    let survey: TreeSurvey
    let encoding: EncodedText.Encoding

    /// Looks up rows in the indexes of a table.
    ///
    /// - Parameter rows: Row ids and the first bytes of the records.
    func answer(of table: String, to rows: [(id: Int64, record: WipedBytes)]) throws -> Answer {
        guard !rows.isEmpty else { return .unknown }
        let intact = Set(survey.trees.filter { $0.gaps.isEmpty && $0.root.kind == .index }.map(\.root.name))
        let columns = try connection.columnInfos(of: table)
        let stored = columns.stored(hasRowIDs: true)
        // A record contains NULL for a column that is an alias of the row id.
        let alias = try connection.rowIDColumn(of: table, columns)
        guard let rowID = columns.freeRowIDName else { return .unknown }
        for index in try connection.indexFacts(of: table) where !index.isPartial && intact.contains(index.name) {
            let keys = try connection.indexColumns(of: index.name).filter(\.isKey)
            guard let key = keys.first, keys.allSatisfy({ $0.column >= 0 }), let name = key.name, key.column != alias,
                let position = stored.firstIndex(of: key.column)
            else { continue }
            let query = """
                SELECT 1 FROM \(Identifier.quote(table)) INDEXED BY \(Identifier.quote(index.name)) \
                WHERE \(Identifier.quote(name)) IS ? AND \(rowID) = ?
                """
            if let answer = try lookUp(query, rows, position) { return answer }
        }
        return .unknown
    }

    /// - Returns: Nil if this index cannot be used.
    private func lookUp(_ query: String, _ rows: [(id: Int64, record: WipedBytes)], _ position: Int) throws -> Answer? {
        guard connection.objection(to: query) == nil else { return nil }
        var (found, examined) = (0, 0)
        for row in rows {
            // The first bytes of the record need not contain the value, and a row older than the column has none.
            guard let fields = RecordFields(row.record, count: position + 1, encoding: encoding)?.fields else {
                continue
            }
            examined += 1
            do {
                found += try connection.withOwnStatement(query) { statement in
                    try statement.bind(fields[position], at: 0)
                    try Bindings(statement).bind(.integer(row.id), at: 1)
                    return try statement.step() ? 1 : 0
                }
            } catch let error as StrongroomError where error.isDamage {
                return nil
            }
        }
        guard examined > 0 else { return nil }
        return found == examined ? .present : found == 0 ? .absent : .unknown
    }
}

extension [ClosedRange<Int64>] {
    /// The same row ids in order, in as few ranges as possible.
    var joined: [ClosedRange<Int64>] {
        sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { ranges, range in
            guard let last = ranges.last, last.upperBound == .max || last.upperBound + 1 >= range.lowerBound else {
                return ranges.append(range)
            }
            ranges[ranges.count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
        }
    }

    /// The row ids that are in none of the other ranges.
    func without(_ others: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        others.reduce(self) { ranges, other in
            ranges.flatMap { range -> [ClosedRange<Int64>] in
                guard range.overlaps(other) else { return [range] }
                var rest: [ClosedRange<Int64>] = []
                if range.lowerBound < other.lowerBound { rest.append(range.lowerBound...other.lowerBound - 1) }
                if range.upperBound > other.upperBound { rest.append(other.upperBound + 1...range.upperBound) }
                return rest
            }
        }
    }
}

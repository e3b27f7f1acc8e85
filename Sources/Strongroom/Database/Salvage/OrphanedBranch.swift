/// An intact page with rows that no other page refers to any more, together with the pages below it.
struct OrphanedBranch {
    /// Its first page.
    let top: Int
    /// Whether it belongs to a table with row ids.
    let hasRowIDs: Bool
    /// The range of the row ids; nil if there are none.
    private(set) var range: ClosedRange<Int64>?
    private(set) var rows = 0
    /// The maximum number of values in any of its rows.
    private(set) var maxValues = 0
    /// The damaged pages that it refers to.
    private(set) var damaged: [Int] = []
    /// Its pages that cannot be read.
    private(set) var gaps: [TreeWalk.Gap] = []
    /// The first rows, for lookups in indexes.
    private(set) var samples: [(id: Int64, record: WipedBytes)] = []
    /// How well the rows match the layout of each candidate tree.
    private(set) var fits: [Int: RowLayout.Fit]

    /// The trees whose indexes contain the rows.
    private(set) var confirmed: Set<Int> = []

    private static let maxSamples = 4

    /// - Parameters:
    ///   - top: The page.
    ///   - trees: The candidate trees.
    init(top: Int, hasRowIDs: Bool, trees: some Sequence<Int>) {
        self.top = top
        self.hasRowIDs = hasRowIDs
        fits = Dictionary(uniqueKeysWithValues: trees.map { ($0, .typical) })
    }

    /// Adds a row of the branch.
    ///
    /// - Parameters:
    ///   - id: Its row id, if it has one.
    ///   - record: The first bytes of its record.
    ///   - isWhole: Whether the whole record can be read.
    ///   - layouts: The row layouts of the candidate trees.
    mutating func add(_ id: Int64?, _ record: WipedBytes, isWhole: Bool, _ layouts: [Int: RowLayout]) {
        rows += 1
        if let id { range = min(range?.lowerBound ?? id, id)...max(range?.upperBound ?? id, id) }
        // If the types alone are longer than the local part of the record, they give no evidence.
        guard let types = RecordFields.types(record) else { return }
        maxValues = max(maxValues, types.count)
        for (tree, fit) in fits where fit > .impossible {
            fits[tree] = min(fit, layouts[tree]?.fit(types) ?? .impossible)
        }
        if isWhole, samples.count < Self.maxSamples { samples.append((id ?? 0, record)) }
    }

    mutating func add(_ gap: TreeWalk.Gap) { gaps.append(gap) }

    mutating func addDamaged(_ page: Int) { damaged.append(page) }

    /// Records that an index of a tree's table contains the rows.
    mutating func confirm(_ tree: Int) { confirmed.insert(tree) }

    /// Excludes a tree.
    mutating func exclude(_ tree: Int) { fits[tree] = .impossible }

    /// Releases the samples after they have been evaluated.
    mutating func forgetSamples() { samples = [] }
}

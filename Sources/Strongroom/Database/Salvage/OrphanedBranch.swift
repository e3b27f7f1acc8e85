/// A sound page with rows to which no other page leads any more, together with the pages below it.
struct OrphanedBranch {
    /// Its first page.
    let top: Int
    /// Whether it belongs to a table with row ids.
    let hasRowIDs: Bool
    /// The row ids from the first to the last; nil where there are none.
    private(set) var range: ClosedRange<Int64>?
    private(set) var rows = 0
    /// The most values that any of its rows has.
    private(set) var mostValues = 0
    /// The damaged pages that it leads to.
    private(set) var damaged: [Int] = []
    /// Its pages that cannot be read.
    private(set) var gaps: [TreeWalk.Gap] = []
    /// The first rows, for questions to indexes.
    private(set) var samples: [(id: Int64, record: WipedBytes)] = []
    /// How well the rows fit each tree that was asked for.
    private(set) var fits: [Int: RowLayout.Fit]

    /// The trees whose indexes have the rows.
    private(set) var confirmed: Set<Int> = []

    private static let mostSamples = 4

    /// - Parameters:
    ///   - top: The page.
    ///   - trees: The trees in question.
    init(top: Int, hasRowIDs: Bool, trees: some Sequence<Int>) {
        self.top = top
        self.hasRowIDs = hasRowIDs
        fits = Dictionary(uniqueKeysWithValues: trees.map { ($0, .typical) })
    }

    /// Adds a row that was met.
    ///
    /// - Parameters:
    ///   - id: Its row id, where it has one.
    ///   - record: Its beginning.
    ///   - isWhole: Whether all of it can be read.
    ///   - layouts: What rows look like in the trees in question.
    mutating func add(_ id: Int64?, _ record: WipedBytes, isWhole: Bool, _ layouts: [Int: RowLayout]) {
        rows += 1
        if let id { range = min(range?.lowerBound ?? id, id)...max(range?.upperBound ?? id, id) }
        // Where the types alone are longer than a page's share they tell nothing.
        guard let types = RecordFields.types(record) else { return }
        mostValues = max(mostValues, types.count)
        for (tree, fit) in fits where fit > .impossible {
            fits[tree] = min(fit, layouts[tree]?.fit(types) ?? .impossible)
        }
        if isWhole, samples.count < Self.mostSamples { samples.append((id ?? 0, record)) }
    }

    mutating func add(_ gap: TreeWalk.Gap) { gaps.append(gap) }

    mutating func addDamaged(_ page: Int) { damaged.append(page) }

    /// Notes that an index of a tree's table has the rows.
    mutating func confirm(_ tree: Int) { confirmed.insert(tree) }

    /// Rules out a tree.
    mutating func exclude(_ tree: Int) { fits[tree] = .impossible }

    /// What is found out about the samples is known by now.
    mutating func forgetSamples() { samples = [] }
}

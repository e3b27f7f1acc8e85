/// What the pages of a damaged file reveal about each table and index of its schema.
struct TreeSurvey {
    /// A table or an index.
    struct Tree {
        let root: SchemaRoot
        /// Whether it is a table with row ids.
        let hasRowIDs: Bool
        /// Its unreadable pages.
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
    /// - Parameters:
    ///   - roots: The schema.
    ///   - connection: A connection to the file, whose schema can be read.
    ///   - checkCancellation: Called repeatedly; an error that it throws ends the survey.
    init(
        _ contents: PageContents, roots: [SchemaRoot], damaged: PageSet, _ connection: Connection,
        checkCancellation: () throws -> Void
    ) throws {
        reached = PageSet(pages: contents.pages.count)
        let walk = TreeWalk(contents: contents)
        for root in [.schema] + roots where root.page > 0 {
            var tree = Tree(
                root: root, hasRowIDs: root.kind != "index" && connection.hasRowIDs(root.name))
            try walk.walk(root.page) { event in
                switch event {
                case .page(let number):
                    try checkCancellation()
                    reached.insert(number)
                    if damaged.contains(number), owners[number] == nil { owners[number] = root.owner }
                case .node(let depth, isLeaf: true): tree.leafDepth = tree.leafDepth ?? depth
                case .node: break
                case .row, .entry: tree.rows += 1
                case .unreadable(let gap): tree.gaps.append(gap)
                }
            }
            trees.append(tree)
        }
    }

    /// The row count of a table, according to an index whose pages are all readable; nil if there is none.
    func rowCount(of table: String, _ connection: Connection) throws -> Int? {
        let counted = Set(try connection.indexFacts(of: table).filter { !$0.isPartial }.map(\.name))
        return trees.first { $0.root.kind == "index" && $0.gaps.isEmpty && counted.contains($0.root.name) }?.rows
    }
}

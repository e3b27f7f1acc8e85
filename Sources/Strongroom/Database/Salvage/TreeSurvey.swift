/// What the pages of a damaged file tell of each table and index in its schema.
struct TreeSurvey {
    /// A table or an index.
    struct Tree {
        let root: SchemaRoot
        /// Whether it is a table's with row ids.
        let hasRowIDs: Bool
        /// Its pages that cannot be read.
        fileprivate(set) var gaps: [TreeWalk.Gap] = []
        /// The rows or entries that were met.
        fileprivate(set) var rows = 0
        /// How far below the first page rows without pages below them lie; nil when none was met.
        fileprivate(set) var leafDepth: Int?

        /// The unreadable pages below which others may lie.
        var openGaps: [TreeWalk.Gap] { gaps.filter { gap in leafDepth.map { gap.depth < $0 } ?? true } }
    }

    private(set) var trees: [Tree] = []
    /// The pages that belong to any of the trees.
    private(set) var reached: PageSet
    /// The damaged pages whose owners were found.
    private(set) var owners: [Int: DamagedPage.Owner] = [:]

    /// Goes through all trees.
    ///
    /// - Parameters:
    ///   - roots: The schema.
    ///   - connection: The file, whose schema can be read.
    ///   - goOn: Called now and then; what it throws ends the survey.
    init(
        _ contents: PageContents, roots: [SchemaRoot], damaged: PageSet, _ connection: Connection,
        goOn: () throws -> Void
    ) throws {
        reached = PageSet(pages: contents.pages.count)
        let walk = TreeWalk(contents: contents)
        for root in [.schema] + roots where root.page > 0 {
            var tree = Tree(
                root: root, hasRowIDs: root.kind != "index" && connection.hasRowIDs(root.name))
            try walk.walk(root.page) { event in
                switch event {
                case .page(let number):
                    try goOn()
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

    /// How many rows a table has, as an index tells of which every page can be read; nil when there is none.
    func rowCount(of table: String, _ connection: Connection) throws -> Int? {
        let counted = Set(try connection.indexFacts(of: table).filter { !$0.isPartial }.map(\.name))
        return trees.first { $0.root.kind == "index" && $0.gaps.isEmpty && counted.contains($0.root.name) }?.rows
    }
}

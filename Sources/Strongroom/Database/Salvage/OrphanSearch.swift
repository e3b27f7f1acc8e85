/// Finds intact pages with rows that no page refers to any more, because one above them is damaged.
struct OrphanSearch {
    let contents: PageContents
    /// The pages that belong to trees.
    private(set) var reached: PageSet
    /// The row layouts of the trees that may have lost pages, by the indices of the trees.
    let layouts: [Int: RowLayout]
    /// The trees among these that are tables with row ids.
    let haveRowIDs: Set<Int>
    private let damaged: PageSet
    private let checkCancellation: () throws -> Void

    init(
        _ contents: PageContents, reached: PageSet, damaged: PageSet, layouts: [Int: RowLayout], haveRowIDs: Set<Int>,
        checkCancellation: @escaping () throws -> Void
    ) {
        self.contents = contents
        self.reached = reached
        self.damaged = damaged
        self.layouts = layouts
        self.haveRowIDs = haveRowIDs
        self.checkCancellation = checkCancellation
    }

    /// Searches the whole file.
    ///
    /// - Parameters:
    ///   - free: The unused pages, whose rows were deleted.
    ///   - found: Called with each branch, in the order of their first pages.
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
        var branch = OrphanedBranch(top: top, hasRowIDs: hasRowIDs, trees: layouts.keys)
        var walk = TreeWalk(contents: contents)
        // Index entries are looked up by values of any length, rows by their ids and short values.
        walk.rowContent = .beginning
        try walk.walk(top) { event in
            switch event {
            case .page(let number):
                try checkCancellation()
                reached.insert(number)
                if damaged.contains(number) { branch.addDamaged(number) }
            case .node: break
            case .row(let id, let record, let isWhole): branch.add(id, record, isWhole: isWhole, layouts)
            case .entry(let record, let isWhole): branch.add(nil, record, isWhole: isWhole, layouts)
            case .unreadable(let gap): branch.add(gap)
            }
        }
        return branch
    }
}

/// Goes through one b-tree of a database, page by page, without the engine, and past what is damaged.
///
/// See "Database File Format", section 1.6 (sqlite.org/fileformat.html). What the pages say is not trusted: a place
/// outside a page ends the row, a page that was met before ends the branch.
struct TreeWalk {
    /// What is met, in the order of the tree.
    enum Event {
        /// A page of the tree or of a long value in it, readable or not.
        case page(Int)
        /// A page of the tree that can be read, without those of long values.
        case node(depth: Int, isLeaf: Bool)
        /// A page that cannot be read.
        case unreadable(Gap)
        /// A row of a table with row ids, and whether all of its pages can be read.
        case row(Int64, WipedBytes, isWhole: Bool)
        /// A row of a table without row ids, or an index's, and whether all of its pages can be read.
        case entry(WipedBytes, isWhole: Bool)
    }

    /// A page of a tree that cannot be read.
    struct Gap: Hashable {
        let page: Int
        /// The row ids that may be below it, where the tree has row ids.
        let range: ClosedRange<Int64>
        /// How far below the tree's first page it lies.
        let depth: Int
    }

    /// How much of a row an event contains.
    enum RowContent {
        case nothing
        /// What its page of the tree has, without the pages where a long value continues.
        case beginning
        /// All of it, where all of it can be read; otherwise what comes before the damaged page.
        case everything
    }

    let contents: PageContents
    /// How much of the rows is wanted.
    var rowContent = RowContent.nothing

    private static let deepest = 64

    /// Goes through the tree.
    ///
    /// - Parameters:
    ///   - root: Its first page.
    ///   - meet: Told of what is met; what it throws ends the walk.
    func walk(_ root: Int, _ meet: (Event) throws -> Void) throws {
        var met = PageSet(pages: contents.pages.count)
        try walk(root, .min ... .max, depth: 0, &met, meet)
    }

    private func walk(
        _ number: Int, _ range: ClosedRange<Int64>, depth: Int, _ met: inout PageSet, _ meet: (Event) throws -> Void
    ) throws {
        let gap = Gap(page: number, range: range, depth: depth)
        guard number > 0, depth < Self.deepest, met.insert(number) else { return try meet(.unreadable(gap)) }
        try meet(.page(number))
        guard let content = try contents.content(of: number), let page = TreePage(content, isFirst: number == 1) else {
            return try meet(.unreadable(gap))
        }
        try meet(.node(depth: depth, isLeaf: page.isLeaf))
        var lowest = range.lowerBound
        for place in 0..<page.cellCount {
            guard let cell = page.cell(place) else { continue }
            if let child = cell.child {
                let highest = cell.rowID.map { min(max($0, lowest), range.upperBound) } ?? range.upperBound
                try walk(child, lowest...highest, depth: depth + 1, &met, meet)
                if cell.rowID != nil, highest < .max { lowest = min(highest + 1, range.upperBound) }
            }
            guard let payload = cell.payload else { continue }
            var parts = rowContent == .nothing ? [] : [payload.local]
            let isWhole = try follow(payload, &parts, &met, meet)
            let value = parts.isEmpty ? WipedBytes.none : WipedBytes(parts)
            if page.isTable, let id = cell.rowID {
                try meet(.row(id, value, isWhole: isWhole))
            } else if !page.isTable {
                try meet(.entry(value, isWhole: isWhole))
            }
        }
        if let last = page.lastChild { try walk(last, lowest...range.upperBound, depth: depth + 1, &met, meet) }
    }

    /// Follows a value through its overflow pages.
    ///
    /// - Parameter parts: Gets what they have, where everything is wanted.
    /// - Returns: Whether all of them can be read.
    private func follow(
        _ payload: TreePage.Payload, _ parts: inout [WipedBytes], _ met: inout PageSet, _ meet: (Event) throws -> Void
    ) throws -> Bool {
        var left = payload.length - payload.local.count
        var next = payload.overflow
        while left > 0 {
            guard next > 0, met.insert(next) else { return false }
            try meet(.page(next))
            guard let content = try contents.content(of: next) else { return false }
            let part = min(left, content.count - 4)
            if rowContent == .everything { parts.append(content.part(4..<4 + part)) }
            left -= part
            next = content.integer(at: 0) ?? 0
        }
        return true
    }
}

/// A page of a b-tree.
struct TreePage {
    /// A value, of which the page has the beginning.
    struct Payload {
        let length: Int
        let local: WipedBytes
        /// The page where it goes on.
        let overflow: Int
    }

    struct Cell {
        /// The page below whose rows come before this cell.
        var child: Int?
        /// The row id; in an inner page the highest one below ``child``.
        var rowID: Int64?
        var payload: Payload?
    }

    private let bytes: WipedBytes
    private let header: Int
    private let isInner: Bool
    /// Whether it belongs to a table with row ids.
    let isTable: Bool
    let cellCount: Int

    /// - Parameter content: The usable bytes; nil is given for those of no b-tree.
    init?(_ content: WipedBytes, isFirst: Bool) {
        header = isFirst ? DatabaseHeader.length : 0
        guard content.count > header + 12, let count = content.shortInteger(at: header + 3) else { return nil }
        switch content[header] {
        case 2: (isInner, isTable) = (true, false)
        case 5: (isInner, isTable) = (true, true)
        case 10: (isInner, isTable) = (false, false)
        case 13: (isInner, isTable) = (false, true)
        default: return nil
        }
        bytes = content
        cellCount = count
    }

    /// Whether no pages of the tree are below it.
    var isLeaf: Bool { !isInner }

    /// The pages of the tree directly below it.
    var children: [Int] { isInner ? (0..<cellCount).compactMap { cell($0)?.child } + [lastChild ?? 0] : [] }

    /// Whether every cell lies within the page, behind the list of the cells, as in each page that the engine has
    /// written as one of a tree.
    var isConsistent: Bool {
        let end = header + (isInner ? 12 : 8) + 2 * cellCount
        return end <= bytes.count
            && (0..<cellCount).allSatisfy { index in
                guard let offset = bytes.shortInteger(at: end - 2 * (cellCount - index)) else { return false }
                return offset >= end && cell(index) != nil
            }
    }

    /// The page below whose rows come after all cells.
    var lastChild: Int? { isInner ? bytes.integer(at: header + 8) : nil }

    /// A cell; nil when the page does not hold it.
    func cell(_ place: Int) -> Cell? {
        guard var offset = bytes.shortInteger(at: header + (isInner ? 12 : 8) + 2 * place) else { return nil }
        var cell = Cell()
        if isInner {
            guard let child = bytes.integer(at: offset) else { return nil }
            cell.child = child
            offset += 4
        }
        var length = 0
        if !(isInner && isTable) {
            guard let found = bytes.variableInteger(at: offset), let exact = Int(exactly: found.value), exact >= 0
            else {
                return nil
            }
            length = exact
            offset += found.length
        }
        if isTable {
            guard let found = bytes.variableInteger(at: offset) else { return nil }
            cell.rowID = found.value
            offset += found.length
            if isInner { return cell }
        }
        guard let payload = payload(length, at: offset) else { return nil }
        cell.payload = payload
        return cell
    }

    /// How much of a value lies in the page is a matter of the page's size.
    private func payload(_ length: Int, at offset: Int) -> Payload? {
        let usable = bytes.count
        let most = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        guard length > most else {
            guard offset + length <= usable else { return nil }
            return Payload(length: length, local: bytes.part(offset..<offset + length), overflow: 0)
        }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (length - least) % (usable - 4)
        let local = fitting <= most ? fitting : least
        guard offset + local <= usable, let overflow = bytes.integer(at: offset + local) else { return nil }
        return Payload(length: length, local: bytes.part(offset..<offset + local), overflow: overflow)
    }
}

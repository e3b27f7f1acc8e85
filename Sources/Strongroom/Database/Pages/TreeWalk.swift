/// Walks one b-tree of a database page by page, without the engine, and continues past damaged pages.
///
/// See "Database File Format", section 1.6 (sqlite.org/fileformat.html). The content of the pages is not trusted: an
/// offset out of bounds ends the row, a page that was visited before ends the branch.
struct TreeWalk {
    enum Event {
        /// A page of the tree or an overflow page, readable or not.
        case page(Int)
        /// A readable page of the tree, without overflow pages.
        case node(depth: Int, isLeaf: Bool)
        /// An unreadable page.
        case unreadable(Gap)
        /// A row, or an entry of an index, and whether all of its pages are readable. It has a row id in a rowid table.
        case row(Int64?, WipedBytes, isReadable: Bool)
    }

    /// An unreadable page of a tree.
    struct Gap: Hashable {
        let page: Int
        /// The row ids that may be below it, if the tree has row ids.
        let range: ClosedRange<Int64>
        /// Its depth below the root page.
        let depth: Int
    }

    /// The part of a row that an event contains.
    enum RowContent {
        case nothing
        /// The part in its b-tree page, without overflow pages.
        case beginning
        /// The complete row if it is readable; otherwise the part before the damaged page.
        case everything
    }

    let contents: PageContents
    var rowContent = RowContent.nothing

    private static let deepest = 64

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
        for index in 0..<page.cellCount {
            guard let cell = page.cell(index) else { continue }
            if let child = cell.child {
                let highest = cell.rowID.map { min(max($0, lowest), range.upperBound) } ?? range.upperBound
                try walk(child, lowest...highest, depth: depth + 1, &met, meet)
                if cell.rowID != nil, highest < .max { lowest = min(highest + 1, range.upperBound) }
            }
            guard let payload = cell.payload else { continue }
            var parts = rowContent == .nothing ? [] : [payload.local]
            let isReadable = try follow(payload, &parts, &met, meet)
            let value = parts.isEmpty ? WipedBytes.none : WipedBytes(parts)
            try meet(.row(cell.rowID, value, isReadable: isReadable))
        }
        if let last = page.lastChild { try walk(last, lowest...range.upperBound, depth: depth + 1, &met, meet) }
    }

    /// Follows a value through its overflow pages.
    ///
    /// - Parameter parts: Receives their content, if everything is requested.
    /// - Returns: Whether all of them are readable.
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
    /// A value whose beginning is in the page.
    struct Payload {
        let length: Int
        let local: WipedBytes
        /// The first overflow page.
        let overflow: Int
    }

    struct Cell {
        /// The left child page of this cell.
        var child: Int?
        /// The row id; in an interior page, the highest one below ``child``.
        var rowID: Int64?
        var payload: Payload?
    }

    private let bytes: WipedBytes
    private let header: Int
    private let isInner: Bool
    /// Whether it belongs to a rowid table.
    let isTable: Bool
    let cellCount: Int

    /// - Parameter content: The usable bytes; nil is returned if they are not a b-tree page.
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

    var isLeaf: Bool { !isInner }

    var children: [Int] { isInner ? (0..<cellCount).compactMap { cell($0)?.child } + [lastChild ?? 0] : [] }

    /// Whether every cell is within the page, after the cell pointer array, as in each b-tree page that the engine
    /// writes.
    var isConsistent: Bool {
        let end = header + (isInner ? 12 : 8) + 2 * cellCount
        return end <= bytes.count
            && (0..<cellCount).allSatisfy { index in
                guard let offset = bytes.shortInteger(at: end - 2 * (cellCount - index)) else { return false }
                return offset >= end && cell(index) != nil
            }
    }

    var lastChild: Int? { isInner ? bytes.integer(at: header + 8) : nil }

    /// A cell; nil if it is out of bounds.
    func cell(_ index: Int) -> Cell? {
        guard var offset = bytes.shortInteger(at: header + (isInner ? 12 : 8) + 2 * index) else { return nil }
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

    /// The page size determines how much of a value is in the page.
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

/// The first values of a record in a page ("Database File Format", section 2.1, sqlite.org/fileformat.html).
struct RecordFields {
    enum Field: Hashable {
        case plain(SQLValue)
        case blob(WipedBytes)
        case text(EncodedText)
    }

    let fields: [Field]

    /// - Parameter count: The number of values to decode, nil for all; nil is returned if the record has fewer.
    init?(_ record: WipedBytes, count: Int? = nil, encoding: EncodedText.Encoding) {
        guard let types = Self.types(record), var content = record.variableInteger(at: 0).map({ Int($0.value) }),
            count ?? 0 <= types.count
        else { return nil }
        var fields: [Field] = []
        for type in types.prefix(count ?? types.count) {
            guard let size = Self.size(of: type), size <= record.count - content else { return nil }
            fields.append(Self.field(type, record.part(content..<content + size), encoding))
            content += size
        }
        self.fields = fields
    }

    /// The serial types of a record; nil if it is not a valid record.
    ///
    /// - Parameter record: The record, or its beginning, which contains all serial types.
    static func types<Bytes: RandomAccessCollection<UInt8>>(_ record: Bytes) -> [Int64]? where Bytes.Index == Int {
        guard let header = record.variableInteger(at: 0), let length = Int(exactly: header.value),
            length <= record.count
        else { return nil }
        var position = header.length
        var types: [Int64] = []
        while position < length {
            guard let type = record.variableInteger(at: position), size(of: type.value) != nil else { return nil }
            position += type.length
            types.append(type.value)
        }
        return position == length ? types : nil
    }

    private static func size(of type: Int64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 12...: Int((type - 12) / 2)
        default: nil
        }
    }

    private static func field(_ type: Int64, _ bytes: WipedBytes, _ encoding: EncodedText.Encoding) -> Field {
        switch type {
        case 0: return .plain(.null)
        case 8, 9: return .plain(.integer(type - 8))
        case 12... where type.isMultiple(of: 2): return .blob(bytes)
        case 12...: return .text(EncodedText(bytes: bytes, encoding: encoding))
        default:
            let bits = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            if type == 7 {
                // The engine reads what is not a number as NULL.
                let number = Double(bitPattern: bits)
                return .plain(number.isNaN ? .null : .real(number))
            }
            // The first byte has the sign.
            let unused = 64 - 8 * bytes.count
            return .plain(.integer(Int64(bitPattern: bits << unused) >> unused))
        }
    }
}

extension Statement {
    /// Binds a value from a page to a parameter.
    func bind(_ field: RecordFields.Field, at index: Int) throws {
        switch field {
        case .plain(let value): try Bindings(self).bind(value, at: index)
        case .blob(let bytes): try bytes.withUnsafeBytes { try Bindings(self).bind(bytes: $0, at: index) }
        case .text(let text): try Bindings(self).bind(text, at: index)
        }
    }
}

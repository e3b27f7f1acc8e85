/// The layout of a schema's tables in a diagram. It is deterministic.
///
/// A table is placed to the right of the tables that it references; the tables of one rank are placed below each other,
/// each near the tables that it references. Tables without references are placed last, at the bottom.
struct SchemaLayout {
    struct Box {
        var table: SchemaModel.Table
        var x = 0
        var y = 0
        var width: Int
        var height: Int

        /// The vertical centre of a column's line.
        func middle(of column: String?) -> Int {
            let index = column.flatMap { name in table.columns.firstIndex { $0.name == name } }
            guard let index else { return y + Measure.title / 2 }
            return y + Measure.title + index * Measure.line + Measure.line / 2 + 4
        }
    }

    /// Pixels.
    enum Measure {
        static let line = 18
        static let title = 26
        static let letter = 7.25
        static let margin = 24
        static let gapX = 72
        static let gapY = 28
    }

    private(set) var boxes: [Box]
    private(set) var width = 0
    private(set) var height = 0

    private let parents: [String: [String]]

    init(_ schema: SchemaModel) {
        boxes = schema.tables.map(Self.box)
        let names = Set(schema.tables.map(\.name))
        var parents: [String: [String]] = [:]
        for reference in schema.references where reference.parent != reference.table && names.contains(reference.parent)
        {
            parents[reference.table, default: []].append(reference.parent)
        }
        self.parents = parents
        arrange()
    }

    private static func box(_ table: SchemaModel.Table) -> Box {
        let name = table.columns.map { TerminalText.width(of: SchemaSVG.name($0)) }.max() ?? 0
        let type = table.columns.map { TerminalText.width(of: SchemaSVG.type($0)) }.max() ?? 0
        let cells = max(TerminalText.width(of: table.name), name + (type > 0 ? type + 2 : 0))
        return Box(
            table: table, width: Int(Double(cells) * Measure.letter) + 28,
            height: Measure.title + table.columns.count * Measure.line + 8)
    }

    private mutating func arrange() {
        let ranks = ranks()
        let related = Set(parents.keys).union(parents.values.joined())
        var centers: [String: Int] = [:]
        var x = Measure.margin
        for rank in 0...(ranks.values.max() ?? 0) {
            let column = boxes.indices.filter {
                related.contains(boxes[$0].table.name) && ranks[boxes[$0].table.name] == rank
            }
            let sorted = column.sorted { first, second in
                let (one, other) = (pull(first, centers), pull(second, centers))
                return one == other ? boxes[first].table.name < boxes[second].table.name : one < other
            }
            var y = Measure.margin
            for index in sorted {
                boxes[index].x = x
                boxes[index].y = y
                centers[boxes[index].table.name] = y + boxes[index].height / 2
                y += boxes[index].height + Measure.gapY
            }
            height = max(height, y)
            if let widest = sorted.map({ boxes[$0].width }).max() { x += widest + Measure.gapX }
        }
        width = x
        arrangeUnrelated(boxes.indices.filter { !related.contains(boxes[$0].table.name) })
        width = (boxes.map { $0.x + $0.width }.max() ?? 0) + Measure.margin
        height = (boxes.map { $0.y + $0.height }.max() ?? 0) + Measure.margin
    }

    /// The mean position of the tables that a table references.
    private func pull(_ index: Int, _ centers: [String: Int]) -> Int {
        let found = (parents[boxes[index].table.name] ?? []).compactMap { centers[$0] }
        return found.isEmpty ? 0 : found.reduce(0, +) / found.count
    }

    /// Arranges tables in lines, as wide as the rest or as a page.
    private mutating func arrangeUnrelated(_ alone: [Int]) {
        let limit = max(width, 900)
        var (x, y, lowest) = (Measure.margin, max(height, Measure.margin), 0)
        for index in alone {
            if x > Measure.margin, x + boxes[index].width > limit {
                (x, y, lowest) = (Measure.margin, y + lowest + Measure.gapY, 0)
            }
            boxes[index].x = x
            boxes[index].y = y
            x += boxes[index].width + Measure.gapX / 2
            lowest = max(lowest, boxes[index].height)
        }
    }

    /// The horizontal rank of each table: one more than the tables that it references. A cycle is cut where it is
    /// found.
    private func ranks() -> [String: Int] {
        var ranks: [String: Int] = [:]
        var running: Set<String> = []
        func rank(_ name: String) -> Int {
            if let known = ranks[name] { return known }
            guard running.insert(name).inserted else { return -1 }
            let rank = ((parents[name] ?? []).map(rank).max() ?? -1) + 1
            ranks[name] = rank
            return rank
        }
        for box in boxes { _ = rank(box.table.name) }
        return ranks
    }
}

/// What a tokenizer does with each scalar: tables of the planes 0 and 1 in pages of 256 scalars, made when a text
/// first has a scalar of the plane that is not ASCII. Equal pages are stored once.
struct FoldingTable: Sendable {
    private let pageStarts: [Int]
    private let entries: [FoldingEntry]

    /// Lists of folded scalars, each after its length.
    private let lists: [UInt32]

    init(pages: [[FoldingEntry]], lists: [UInt32]) {
        var starts: [Int] = []
        var entries: [FoldingEntry] = []
        var known: [[FoldingEntry]: Int] = [:]
        for page in pages {
            if let start = known[page] {
                starts.append(start)
            } else {
                known[page] = entries.count
                starts.append(entries.count)
                entries += page
            }
        }
        (self.pageStarts, self.entries, self.lists) = (starts, entries, lists)
    }

    /// The entry of a scalar, by its number in its plane.
    func entry(_ number: Int) -> FoldingEntry {
        entries[pageStarts[number >> 8] + number & 0xFF]
    }

    /// The folded scalars of an entry that has several.
    func list(_ entry: FoldingEntry) -> ArraySlice<UInt32> {
        let start = entry.listIndex + 1
        return lists[start..<start + Int(lists[entry.listIndex])]
    }
}

/// The tables of one folding.
struct FoldingTables: Sendable {
    let basic: FoldingTable
    private let folding: Folding

    /// The tables of the folding, which are made at the first call.
    init(_ folding: Folding) {
        self.folding = folding
        basic = folding == .standard ? Self.standardBasic : Self.marksBasic
    }

    /// The entry of a scalar, and the table its list is in.
    func entry(_ scalar: UInt32) -> (entry: FoldingEntry, table: FoldingTable) {
        switch scalar {
        case ..<0x1_0000:
            return (basic.entry(Int(scalar)), basic)
        case ..<0x2_0000:
            let table = folding == .standard ? Self.standardSupplementary : Self.marksSupplementary
            return (table.entry(Int(scalar) - 0x1_0000), table)
        default:
            let kind = FoldingTableBuilder.kindOutsideOfTables(scalar)
            let value = FoldingTableBuilder.compatibilityIdeograph(scalar)
            return (FoldingEntry(kind, value: value), basic)
        }
    }

    private static let standardBasic = FoldingTableBuilder(.standard, plane: 0).table()
    private static let marksBasic = FoldingTableBuilder(.marks, plane: 0).table()
    private static let standardSupplementary = FoldingTableBuilder(.standard, plane: 1).table()
    private static let marksSupplementary = FoldingTableBuilder(.marks, plane: 1).table()
}

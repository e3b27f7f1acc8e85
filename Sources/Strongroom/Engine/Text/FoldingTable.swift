/// What a tokenizer does with each scalar: tables of the planes 0 and 1 in pages of 256 scalars, made when a text
/// first has a scalar of the plane that is not ASCII. Equal pages are stored once.
final class FoldingTable: Sendable {
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
    private let folding: Folding
    private let basic: FoldingTable

    /// The tables of the folding. The one of plane 0 is made at the first call, the one of plane 1 when it is needed.
    init(_ folding: Folding) {
        self.folding = folding
        basic = folding == .standard ? Self.standardBasic : Self.marksBasic
    }

    /// The entry of a scalar that is not ASCII.
    func entry(_ scalar: UInt32) -> FoldingEntry {
        scalar < 0x1_0000 ? basic.entry(Int(scalar)) : supplementaryEntry(scalar)
    }

    /// The folded scalars of an entry that has several.
    func list(_ entry: FoldingEntry, of scalar: UInt32) -> ArraySlice<UInt32> {
        (scalar < 0x1_0000 ? basic : supplementary).list(entry)
    }

    private var supplementary: FoldingTable {
        folding == .standard ? Self.standardSupplementary : Self.marksSupplementary
    }

    private func supplementaryEntry(_ scalar: UInt32) -> FoldingEntry {
        if scalar < 0x2_0000 { return supplementary.entry(Int(scalar) - 0x1_0000) }
        return FoldingEntry(
            FoldingTableBuilder.kindOutsideOfTables(scalar), value: FoldingTableBuilder.compatibilityIdeograph(scalar))
    }

    private static let standardBasic = FoldingTableBuilder(.standard, plane: 0).table()
    private static let marksBasic = FoldingTableBuilder(.marks, plane: 0).table()
    private static let standardSupplementary = FoldingTableBuilder(.standard, plane: 1).table()
    private static let marksSupplementary = FoldingTableBuilder(.marks, plane: 1).table()
}

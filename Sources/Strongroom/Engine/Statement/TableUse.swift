/// The tables that a statement or a transaction reads and writes, by the engine's names in lower case.
struct TableUse: Equatable {
    var reads: Set<String> = []
    var writes: Set<String> = []
    /// Whether it creates an index.
    var makesIndex = false

    /// Whether it changes the schema.
    var changesSchema: Bool { writes.contains("sqlite_master") }

    mutating func formUnion(_ other: TableUse) {
        reads.formUnion(other.reads)
        writes.formUnion(other.writes)
        makesIndex = makesIndex || other.makesIndex
    }

    /// A table's name in the form used for comparison.
    static func name(_ name: String) -> String { name.asciiFolded }

    static func name(_ name: UnsafePointer<CChar>) -> String { self.name(String(cString: name)) }
}

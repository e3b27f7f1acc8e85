/// The tables that a statement, or a transaction, reads and writes; as the engine names them, in lower case.
struct TableUse: Equatable {
    var reads: Set<String> = []
    var writes: Set<String> = []
    /// Whether it makes an index.
    var makesIndex = false

    mutating func formUnion(_ other: TableUse) {
        reads.formUnion(other.reads)
        writes.formUnion(other.writes)
        makesIndex = makesIndex || other.makesIndex
    }

    /// A table's name as it is compared.
    static func name(_ name: String) -> String { name.asciiFolded }

    static func name(_ name: UnsafePointer<CChar>) -> String { self.name(String(cString: name)) }
}

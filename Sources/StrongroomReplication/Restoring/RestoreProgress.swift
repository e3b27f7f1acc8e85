import Strongroom

/// How far a file is that is being restored; as bytes, the stored note.
struct RestoreProgress: Equatable {
    /// The folder of the base.
    let base: String
    /// The number of objects whose pages the file has, of those of a plan in their order.
    var objects = 0
    /// Their length in bytes.
    var done = 0
    /// The form of the pages; nil before the first.
    var form: PageForm?
    /// The number of pages of the database.
    var pages = 0
    /// The envelope that belongs to the pages.
    var envelope: [UInt8]?
    /// The digest of the last change.
    var digest = [UInt8](repeating: 0, count: Digests.length)
    var replica: ObjectHeader.Identifier?

    init(of plan: RestorePlan) { base = plan.base }

    var bytes: [UInt8] {
        let numbers = [
            objects, done, form?.size ?? 0, form?.vectorOffset ?? 0, pages, envelope?.count ?? -1, base.utf8.count,
        ]
        let names = (replica?.bytes ?? []) + base.utf8
        return numbers.flatMap { Int64($0).bigEndianBytes } + digest + names + (envelope ?? [])
    }

    /// - Throws: ``StoredReader/Damaged`` for bytes that are no note, or that of another base, or of a state after that
    ///   of the plan. The names of bases are random, and changes are immutable, so what was written of the same base is
    ///   still right.
    init(_ bytes: [UInt8], of plan: RestorePlan) throws {
        var reader = StoredReader(bytes[...])
        let numbers = try (0..<7).map { _ in Int(try reader.number() as Int64) }
        digest = try reader.bytes(Digests.length)
        replica = try ObjectHeader.Identifier(reading: &reader)
        guard String(decoding: try reader.bytes(numbers[6]), as: UTF8.self) == plan.base,
            (1...plan.parts.count + plan.changes.count).contains(numbers[0]), (0...plan.length).contains(numbers[1]),
            (512...65_536).contains(numbers[2]), numbers[2].nonzeroBitCount == 1,
            (0...numbers[2] - PageVersion.length).contains(numbers[3]), (0...Int(UInt32.max)).contains(numbers[4])
        else { throw StoredReader.Damaged() }
        base = plan.base
        (objects, done, pages) = (numbers[0], numbers[1], numbers[4])
        form = PageForm(size: numbers[2], vectorOffset: numbers[3])
        envelope = numbers[5] < 0 ? nil : reader.remainder()
    }
}

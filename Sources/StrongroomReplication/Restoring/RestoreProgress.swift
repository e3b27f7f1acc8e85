import Strongroom

/// How far a file is that is being restored; as bytes, the note that is kept of it.
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
        var bytes: [UInt8] = []
        for number in [
            objects, done, form?.size ?? 0, form?.vectorOffset ?? 0, pages, envelope?.count ?? -1, base.utf8.count,
        ] {
            bytes.append(UInt64(bitPattern: Int64(number)))
        }
        return bytes + digest + (replica?.bytes ?? []) + Array(base.utf8) + (envelope ?? [])
    }

    /// - Returns: Nil for bytes that are no note, or that of another base, or of a state after that of the plan. The
    ///   names of bases are random, and changes are immutable, so what was written of the same base is still right.
    init?(_ bytes: [UInt8], of plan: RestorePlan) {
        let start = 7 * 8 + Digests.length + ObjectHeader.Identifier.length
        guard bytes.count >= start else { return nil }
        let numbers = (0..<7).map { index in
            let number: UInt64 = bytes.number(at: 8 * index)
            return Int(Int64(bitPattern: number))
        }
        let baseLength = numbers[6]
        guard (0...bytes.count - start).contains(baseLength),
            String(decoding: bytes[start..<start + baseLength], as: UTF8.self) == plan.base,
            (1...plan.parts.count + plan.changes.count).contains(numbers[0]), (0...plan.length).contains(numbers[1]),
            (512...65_536).contains(numbers[2]), numbers[2].nonzeroBitCount == 1,
            (0...numbers[2] - PageVersion.length).contains(numbers[3]), (0...Int(UInt32.max)).contains(numbers[4])
        else { return nil }
        base = plan.base
        (objects, done, pages) = (numbers[0], numbers[1], numbers[4])
        form = PageForm(size: numbers[2], vectorOffset: numbers[3])
        digest = Array(bytes[7 * 8..<7 * 8 + Digests.length])
        replica = ObjectHeader.Identifier(bytes: Array(bytes[7 * 8 + Digests.length..<start]))
        envelope = numbers[5] < 0 ? nil : Array(bytes[(start + baseLength)...])
    }
}

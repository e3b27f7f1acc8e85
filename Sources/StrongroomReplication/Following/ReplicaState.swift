import Strongroom

/// What a replica has: what a writer needs to go on with it.
struct ReplicaState: Sendable {
    /// The newest change; 0 for none.
    var number: UInt64 = 0
    /// The length of its object, in bytes.
    var size = 0
    var digest = [UInt8](repeating: 0, count: Digests.length)
    var time: UInt64 = 0
    var replica: ObjectHeader.Identifier?
    /// The newest change, as far as its owner is concerned; nil for none.
    private(set) var head: ReplicaFolder.Head?
    var envelope: [UInt8]?
    var versions = PageVersions()
    var form: PageForm?
    var sinceBase = (changes: 0, bytes: 0)
    /// Whether there is a complete base that the changes follow.
    var hasBase = false

    /// Reads the outlines of the newest base and of the changes since then.
    init(of folder: ReplicaFolder) async throws {
        guard let head = try await folder.head() else { return }
        (number, size, time) = (head.header.number, head.header.objectLength, head.header.time)
        (self.head, replica, digest) = (head, head.header.replica, head.digest)
        try await readBase(folder, upTo: number)
    }

    private mutating func readBase(_ folder: ReplicaFolder, upTo newest: UInt64) async throws {
        for base in try await folder.bases() where base.number <= newest {
            guard let parts = try await folder.usableParts(ofBase: base.folder, of: base.number) else { continue }
            let changes = try await folder.changes(from: newest, downTo: base.number + 1)
            guard newest == base.number || changes.last?.number == base.number + 1 else { continue }
            do {
                try await read(base.folder, parts.count, folder)
                try await read(changes.reversed(), folder)
                try await folder.requireBase(base.folder, of: base.number)
                hasBase = true
            } catch let error as StrongroomError where error.code == .replicaDamaged {
                // The file has everything: a new base replaces what is damaged.
                (versions, form, envelope, sinceBase) = (PageVersions(), nil, nil, (0, 0))
            }
            return
        }
    }

    private mutating func read(_ base: String, _ parts: Int, _ folder: ReplicaFolder) async throws {
        for part in 0..<parts {
            let outline = try await folder.outline(folder.path(ofBase: base, part: part))
            form = outline.header.form
            versions.resize(to: Int(outline.header.databasePages))
            for (number, version) in outline.index { versions[Int(number)] = version }
            guard outline.header.envelopeLength > 0 else { continue }
            envelope = try await folder.object(folder.path(ofBase: base, part: part)).envelope
        }
    }

    private mutating func read(_ changes: [(number: UInt64, size: Int)], _ folder: ReplicaFolder) async throws {
        var parts: [(UInt32, PageVersion)] = []
        let outlines = try await concurrently(changes.map(\.number), width: Self.width) { number in
            try await folder.outline(folder.path(ofChange: number))
        }
        for (outline, change) in zip(outlines, changes) {
            sinceBase = (sinceBase.changes + 1, sinceBase.bytes + change.size)
            guard outline.header.kind == .change else {
                parts = []
                continue
            }
            if outline.header.part == 0 { parts = [] }
            parts += outline.index
            guard outline.header.isLast else { continue }
            if form != outline.header.form { versions = PageVersions() }
            form = outline.header.form
            versions.resize(to: Int(outline.header.databasePages))
            for (number, version) in parts { versions[Int(number)] = version }
            parts = []
            guard outline.header.envelopeLength > 0 else { continue }
            envelope = try await folder.object(folder.path(ofChange: change.number)).envelope
        }
    }

    /// The number of requests at a time.
    private static let width = 16
}

/// Runs an operation for each element, several at a time.
///
/// - Returns: The results, in the order of the elements.
func concurrently<Element: Sendable, Result: Sendable>(
    _ elements: [Element], width: Int, _ operation: @escaping @Sendable (Element) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var results = [Result?](repeating: nil, count: elements.count)
        var next = 0
        func add() {
            guard next < elements.count else { return }
            let (index, element) = (next, elements[next])
            next += 1
            group.addTask { (index, try await operation(element)) }
        }
        for _ in 0..<width { add() }
        while let (index, result) = try await group.next() {
            results[index] = result
            add()
        }
        return results.compactMap(\.self)
    }
}

import Foundation

@testable import Strongroom
@testable import StrongroomReplication

extension Reader {
    /// A folder of a replica: the names and contents of its objects, from which a state is restored.
    static let replica = Reader("replica", longest: 1 << 12) { input in
        var objects = ComposedReplica()
        let number = UInt64(input.byte())
        let point = [RestorePoint.newest, .change(number), .time(Date(timeIntervalSince1970: Double(number)))]
        let chosen = input.element(of: point)
        while !input.isAtEnd, objects.count < 32 { objects.add(&input) }
        let folder = ReplicaFolder(objects: MemoryObjects(objects.objects), name: ComposedReplica.folder)
        try wait { try await read(folder, number) }
        try wait { try await restore(folder, chosen) }
    }

    private static func read(_ folder: ReplicaFolder, _ number: UInt64) async throws {
        await tolerating { _ = try await folder.head() }
        await tolerating { try await folder.requireNewest(max(number, 1), after: 3) }
        await tolerating { _ = try await ReplicaLists().listed(folder) }
        await tolerating { _ = try await Leases(folder: folder, lease: Lease(owner: "host")).newest() }
        await tolerating {
            let inspection = try await ReplicaInspector(folder: folder, isVerifying: true) { _ in }.run()
            require(inspection.objects > 0, "an inspected replica has objects")
        }
    }

    private static func tolerating(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is StrongroomError {
        } catch {
            fatalError("an error of another type: \(type(of: error))")
        }
    }

    private static func restore(_ folder: ReplicaFolder, _ point: RestorePoint) async throws {
        let plan = try await RestorePlan(folder, to: point)
        require(!plan.parts.isEmpty, "a plan has a base")
        let file = try RestoredFile(of: "\(Scratch.directory)/restored.sqlite")
        defer { try? file.remove() }
        _ = try await RestoreWork(plan: plan, file: file) { _ in }.run()
    }
}

/// A directory in memory for what needs a path.
enum Scratch {
    static let directory: String = {
        let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let path = "\(parent)/strongroom-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            fatalError("no directory \(path)")
        }
        atexit { try? FileManager.default.removeItem(atPath: Scratch.directory) }
        return path
    }()
}

/// Objects whose headers, digests and sequence are right, except where the input says otherwise.
struct ComposedReplica {
    static let folder = "note.sqlite"
    private(set) var objects: [String: [UInt8]] = [:]
    private var digests: [UInt64: [UInt8]] = [:]

    var count: Int { objects.count }

    private static let identifier = ObjectHeader.Identifier(bytes: [UInt8](repeating: 1, count: 16))
    private static let form = PageForm(size: 512, vectorOffset: 464)

    mutating func add(_ input: inout Input) {
        let number = UInt64(input.byte() % 16)
        switch input.byte() % 8 {
        case 0: objects["\(Self.folder)/\(ObjectName.change(number))"] = input.part()
        case 1: objects["\(Self.folder)/\(String(decoding: input.part(), as: UTF8.self))"] = input.part()
        case 2:
            let lease = LeaseObject(owner: input.text(4), end: input.integer())
            objects["\(Self.folder)/\(ObjectName.leases)/\(ObjectName.change(number + 1))"] = lease.bytes
        case 3, 4:
            let object = composed(&input, number, .base)
            let part = Int(object.header.part)
            let name = "\(ObjectName.bases)/\(ObjectName.base(number, 1))/\(ObjectName.part(part))"
            objects["\(Self.folder)/\(name)"] = object.bytes
        default:
            let object = composed(&input, number, .change)
            digests[number] = object.digest
            objects["\(Self.folder)/\(ObjectName.change(number))"] = object.bytes
        }
    }

    private func composed(_ input: inout Input, _ number: UInt64, _ kind: ObjectHeader.Kind) -> ReplicaObject {
        let flags = input.byte()
        let count = Int(input.byte() % 4)
        let first = UInt32(input.byte())
        let before = kind == .base ? number : number &- 1
        var header = ObjectHeader(
            kind: flags & 1 == 1 ? .claim : kind, isLast: flags & 2 == 0, part: UInt32(flags >> 6), form: Self.form,
            pages: 0, databasePages: first &+ UInt32(input.byte()), number: number, time: number * 1_000,
            writer: Self.identifier, replica: Self.identifier, envelopeLength: 0,
            previous: digests[before] ?? [UInt8](repeating: 0, count: Digests.length))
        if flags & 4 != 0 { header.number = input.integer() }
        if flags & 8 != 0 { header.time = input.integer() }
        if flags & 16 != 0 { header.previous = [UInt8](repeating: input.byte(), count: Digests.length) }
        if flags & 32 != 0 { header.form = PageForm(size: 1_024, vectorOffset: Int(input.byte())) }
        let numbers = (0..<count).map { first &+ UInt32($0) &+ 1 }
        let content = [UInt8](repeating: UInt8(truncatingIfNeeded: first), count: count * header.form.size)
        let batch = PageBatch(
            form: header.form, databasePages: Int(header.databasePages), numbers: numbers, content: content,
            isLast: true)
        return ReplicaObject(header, batch, envelope: count == 3 ? [1, 2, 3] : nil)
    }
}

/// A replica of two changes and a base, as a store ships it.
enum SampleReplica {
    static let plan: RestorePlan = {
        // Change 1 without pages, its base, change 2 with a page.
        var replica = ComposedReplica()
        for bytes: [UInt8] in [[1, 5, 1, 0, 0, 1], [1, 3, 0, 1, 0, 1], [2, 5, 0, 1, 0, 1]] {
            var input = Input(bytes)
            replica.add(&input)
        }
        let folder = ReplicaFolder(objects: MemoryObjects(replica.objects), name: ComposedReplica.folder)
        do {
            return try wait { try await RestorePlan(folder, to: .newest) }
        } catch {
            fatalError("the sample cannot be restored: \(error)")
        }
    }()
}

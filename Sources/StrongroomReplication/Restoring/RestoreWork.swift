import Strongroom

/// Writes the pages of a state to a file.
struct RestoreWork: Sendable {
    let plan: RestorePlan
    let file: RestoredFile
    let progress: @Sendable (WorkProgress) -> Void

    /// The number of objects that are read at a time.
    private static let width = 8

    /// What is written between two notes of how far the file is, in bytes.
    private static let noteDistance = 64 << 20

    /// - Returns: The envelope that belongs to the pages; nil if they have none.
    func run() async throws -> [UInt8]? {
        var state = (try? RestoreProgress(file.note ?? [], of: plan)) ?? RestoreProgress(of: plan)
        if state.objects == 0 { try file.resize(to: 0) }
        do {
            try await fetch(&state)
        } catch {
            // The file is complete up to the last object.
            if state.objects > 0 { try? file.record(state.bytes) }
            throw error
        }
        try await plan.folder.requireBase(plan.base, of: plan.baseNumber)
        guard let form = state.form else { throw plan.folder.missing(plan.base) }
        try file.resize(to: Int64(state.pages) * Int64(form.size))
        return state.envelope
    }

    private func fetch(_ state: inout RestoreProgress) async throws {
        let parts = plan.parts.indices.dropFirst(state.objects)
        try await inOrder(parts.map { plan.folder.path(ofBase: plan.base, part: $0) }, &state, writeBase)
        let skipped = try await incompleteChanges()
        let changes = plan.changes.dropFirst(state.objects - plan.parts.count)
        try await inOrder(changes.map(plan.folder.path(ofChange:)), &state) { object, state in
            try write(object, isSkipped: skipped.contains(object.header.number), &state)
        }
    }

    /// Reads objects several at a time, and hands them on in order.
    private func inOrder(
        _ paths: [String], _ state: inout RestoreProgress, _ body: (ReplicaObject, inout RestoreProgress) throws -> Void
    ) async throws {
        var noted = state.done
        for start in stride(from: 0, to: paths.count, by: Self.width) {
            try Task.checkCancellation()
            let part = Array(paths[start..<min(start + Self.width, paths.count)])
            for object in try await concurrently(part, width: Self.width, { try await plan.folder.object($0) }) {
                try body(object, &state)
                state.objects += 1
            }
            guard state.done - noted >= Self.noteDistance else { continue }
            noted = state.done
            try file.record(state.bytes)
        }
    }

    private func writeBase(_ object: ReplicaObject, _ state: inout RestoreProgress) throws {
        let header = object.header
        guard header.kind == .base, state.replica ?? header.replica == header.replica,
            state.form ?? header.form == header.form
        else { throw StrongroomError.damaged(plan.base, "its parts do not belong together") }
        (state.replica, state.form, state.pages) = (header.replica, header.form, Int(header.databasePages))
        state.digest = header.previous
        try writePages(object, &state)
    }

    private func write(_ object: ReplicaObject, isSkipped: Bool, _ state: inout RestoreProgress) throws {
        let header = object.header
        let path = plan.folder.path(ofChange: header.number)
        guard header.replica == state.replica, header.previous == state.digest else {
            throw StrongroomError.damaged(path, "it does not follow the change before it")
        }
        state.digest = object.digest
        guard header.kind == .change, !isSkipped else {
            state.done += object.bytes.count
            return
        }
        if header.form != state.form {
            // The database was rewritten with pages of another form: the change has all of them.
            try file.resize(to: 0)
            state.form = header.form
        }
        state.pages = Int(header.databasePages)
        try writePages(object, &state)
    }

    private func writePages(_ object: ReplicaObject, _ state: inout RestoreProgress) throws {
        try object.forEachPage { number, content in try file.write(content, as: number) }
        state.envelope = object.envelope ?? state.envelope
        state.done += object.bytes.count
        progress(WorkProgress(.writing, state.done, of: plan.length, .bytes))
    }

    /// The parts of changes that were never completed, because their writer has ended.
    private func incompleteChanges() async throws -> Set<UInt64> {
        let headers = try await concurrently(plan.changes, width: 2 * Self.width) { number in
            let path = plan.folder.path(ofChange: number)
            guard let header = try await plan.folder.header(path) else { throw plan.folder.missing(path) }
            return header
        }
        var skipped: Set<UInt64> = []
        var open: [UInt64] = []
        for header in headers {
            if header.part == 0 || header.kind != .change {
                skipped.formUnion(open)
                open = []
            }
            if header.kind == .change { open = header.isLast ? [] : open + [header.number] }
        }
        return skipped.union(open)
    }
}

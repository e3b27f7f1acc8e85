import Foundation
import Strongroom

extension ProofRun {
    /// The most places at which one migration is interrupted; a longer one is interrupted at so many, evenly.
    static let mostInterruptions = 100

    /// Each migration is interrupted after each of its statements: by an error, and as if the process were killed. It comes back to what
    /// it makes in one go.
    func proveInterruptions() async throws {
        for place in migrations.indices {
            let start = try place == 0 ? ProofFile(subject) : stages[place - 1].copy()
            guard let straight = try await straightRun(of: place, on: start) else { continue }
            let count = straight.statements.count
            var counts = Array(0...count)
            if count > Self.mostInterruptions {
                counts = (0..<Self.mostInterruptions).map { $0 * (count + 1) / Self.mostInterruptions }
                report.leftOut.append(
                    "migration «\(version(place))» has \(count) statements, and was interrupted after \(counts.count) of them")
            }
            for number in counts {
                let after = number == 0 ? "before its first statement" : "after «\(straight.statements[number - 1])»"
                try await proveError(place, after: number, of: straight, way: after)
                try await proveKill(place, after: number, of: straight, way: after)
            }
        }
    }

    /// A migration that ran in one go, and what it left at every instant.
    private struct StraightRun {
        let start: ProofFile
        var statements: [String] = []
        /// The file as a killed process would leave it before each statement, and after the last; empty for a file that is new, and lies
        /// under another name until it is whole.
        var killed: [ProofFile] = []
        var content: TableContent
    }

    private func straightRun(of place: Int, on start: ProofFile) async throws -> StraightRun? {
        let file = place == 0 ? start : try start.copy()
        let seen = Locked<(statements: [String], killed: [ProofFile])>(([], []))
        let watched = watching(place) { statement in
            // Not inside the lock: it takes long.
            let copy = place == 0 ? nil : try file.copy()
            seen.withLock { seen in
                if let copy { seen.killed.append(copy) }
                if let statement { seen.statements.append(statement) }
            }
        }
        let content = await attempting("migration «\(version(place))» cannot be run", on: nil) {
            try await file.using(watched) { store in try await store.read { db in try TableContent(db) } }
        }
        guard let content else { return nil }
        let (statements, killed) = seen.withLock { $0 }
        return StraightRun(
            start: place == 0 ? try ProofFile(subject) : start, statements: statements, killed: killed, content: content)
    }

    /// The migrations up to one, which tells of each statement before it runs, and, with nil, of its end.
    private func watching(_ place: Int, _ tell: @escaping @Sendable (String?) throws -> Void) -> [Migration] {
        let migration = migrations[place]
        let watched = Migration(migration.version) { db in
            if db.isRehearsal { return try migration.up(db) }
            try db.watchingStatements { sql, _ in
                try tell(sql)
            } _: {
                try migration.up(db)
                try tell(nil)
            }
        }
        return migrations[..<place] + [watched]
    }

    /// A statement fails, as it does on a full disk, and so do all that follow.
    private func proveError(_ place: Int, after count: Int, of straight: StraightRun, way: String) async throws {
        let file = try place == 0 ? ProofFile(subject) : straight.start.copy()
        let state = Locked<(ran: Int, didThrow: Bool)>((0, false))
        let failing = watching(place) { statement in
            try state.withLock { state in
                // A step that has caught the error comes to its end.
                if statement == nil, state.didThrow { return }
                guard state.ran < count else {
                    state.didThrow = true
                    throw Interruption(statements: count)
                }
                state.ran += 1
            }
        }
        let isOpened: Bool
        do {
            try await file.using(failing) { _ in }
            isOpened = true
        } catch {
            isOpened = false
        }
        guard state.withLock({ $0.didThrow }) else { return }
        report.interruptions += 1
        let version = version(place)
        guard !isOpened else {
            report.add(
                """
                migration «\(version)» is not undone when one of its statements fails: it catches the error and goes on, and its version is \
                recorded without that statement's work; let errors through (no `try?`)
                """, on: way)
            return
        }
        try await proveComeback(file, place, straight, way: way)
    }

    private func proveKill(_ place: Int, after count: Int, of straight: StraightRun, way: String) async throws {
        guard straight.killed.indices.contains(count) else { return }
        report.interruptions += 1
        try await proveComeback(straight.killed[count], place, straight, way: way)
    }

    /// The next opening goes on, and comes to what one go makes.
    private func proveComeback(_ file: ProofFile, _ place: Int, _ straight: StraightRun, way: String) async throws {
        let origin = place == 0 ? nil : place - 1
        guard let sight = try await look(at: file, through: place, since: origin, on: "interrupted \(way)") else { return }
        let (here, there) = ("a file whose migration was interrupted and run again", "one whose migration ran in one go")
        let differences = try await lastingDifferences(sight.content, straight.content, here: here, there: there) {
            let again = try place == 0 ? ProofFile(subject) : straight.start.copy()
            return try await again.using(steps(through: place)) { store in
                try await store.read { db in try TableContent(db) }
            }
        }
        for difference in differences {
            report.add(
                """
                migration «\(version(place))» does not come back from an interruption: \(difference); it must depend on nothing and change \
                nothing outside of its transaction
                """, on: way)
        }
    }
}

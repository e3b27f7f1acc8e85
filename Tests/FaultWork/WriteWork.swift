import Foundation
package import Strongroom

/// Transactions one after the other, each of which inserts, changes and deletes; a checkpoint in between.
package struct WriteWork: Work {
    /// A promise that is broken on purpose.
    package enum Flaw: String, Sendable {
        case acknowledgesEarly, commitsHalves
    }

    package let flaw: Flaw?
    package let steps = 6

    package init(flaw: Flaw? = nil) {
        self.flaw = flaw
    }

    package var name: String { ["write", flaw?.rawValue].compactMap(\.self).joined(separator: "-") }

    package func prepare(in place: Place) async throws -> Store? {
        let store = try await place.open(firstKeys(), Lines.migrator)
        try await store.write { db in try Lines.fill(db) }
        return store
    }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        try await using(place, firstKeys(), Lines.migrator) { store in
            let done = try await place.againWithSpace { try await store.read { db in try Lines.round(db) } }
            for round in done..<steps {
                if flaw == .acknowledgesEarly { acknowledge(round + 1) }
                try await place.againWithSpace { try await commit(round + 1, store) }
                acknowledge(round + 1)
                if round == steps / 2 { try await place.againWithSpace { _ = try await store.checkpoint() } }
            }
        }
    }

    private func commit(_ round: Int, _ store: Store) async throws {
        guard flaw == .commitsHalves else {
            try await store.write { db in
                try Lines.insert(round, db)
                try Lines.change(round, db)
            }
            return
        }
        try await store.write { db in try Lines.insert(round, db) }
        try await store.write { db in try Lines.change(round, db) }
    }

    package func look(in place: Place) async throws -> Sight {
        try await using(place, firstKeys(), Lines.migrator) { store in try await Lines.sight(of: store) }
    }

    package func rows(after step: Int) -> [String] { Lines.rows(after: step) }
}

/// A file that is not there and is made, with rows that its migrations bring.
package struct CreateWork: Work {
    package let name = "create"
    package let steps = 1
    package let beginsWithFile = false
    private static let rows = 30

    package init() {}

    private static let migrator = Migrator {
        Migration("1") { db in try db.execute("CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
        Migration("2") { db in
            for id in 1...rows { try db.execute("INSERT INTO place VALUES (\(id), \("place \(id)"))") }
        }
    }

    package func prepare(in place: Place) async throws -> Store? { nil }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        try await using(place, firstKeys(), Self.migrator) { _ in acknowledge(1) }
    }

    package func look(in place: Place) async throws -> Sight {
        guard place.hasFile else { return .nothing }
        return try await using(place, firstKeys(), nil) { store in
            try await store.read { db in
                var rows: [String] = []
                try db.forEachRow("SELECT id, name FROM place ORDER BY id") { row in
                    rows.append("\(try row[0] as Int) \(try row[1] as String)")
                }
                return try Sight(step: 1, rows: rows, checking: db)
            }
        }
    }

    package func rows(after step: Int) -> [String] {
        step < 1 ? [] : (1...Self.rows).map { "\($0) place \($0)" }
    }
}

/// A file that is rewritten when it is opened: with another key, encrypted, with other pages, in another format.
package struct RewriteWork: Work {
    /// How a file is encrypted.
    private struct Form: Sendable {
        var key = Key.plaintext
        var cipher: CipherSettings

        func chain() throws -> KeyChain { key == .plaintext ? .plaintext : try KeyChain(key) }
    }

    package let name: String
    package let steps = 1
    private let before: Form
    private let after: Form
    /// Whether the file has another name, so that it is rewritten where it is.
    private let hasOtherName: Bool

    private init(_ name: String, _ before: Form, _ after: Form, hasOtherName: Bool = false) {
        self.name = name
        self.before = before
        self.after = after
        self.hasOtherName = hasOtherName
    }

    /// All kinds that the linked engine can do.
    package static let all: [RewriteWork] = {
        guard let own = try? CipherSettings.engineDefault() else { return [] }
        var wide = own
        wide.pageSize = 8_192
        let (old, new) = (Form(key: .old, cipher: own), Form(key: .new, cipher: own))
        var works = [
            RewriteWork("rotate", old, new),
            RewriteWork("rotate-in-place", old, new, hasOtherName: true),
            RewriteWork("encrypt", Form(cipher: own), new),
            RewriteWork("page-size", old, Form(key: .old, cipher: wide)),
        ]
        if own != .sqlCipher3 { works.append(RewriteWork("format", Form(key: .old, cipher: .sqlCipher3), new)) }
        return works
    }()

    package func firstKeys() throws -> KeyChain { try before.chain() }

    package func firstCipher() throws -> CipherSettings { before.cipher }

    package func prepare(in place: Place) async throws -> Store? {
        let store = try await place.open(before.chain(), Lines.migrator, [before.cipher])
        try await store.write { db in try Lines.fill(db) }
        return store
    }

    package func run(in place: Place, acknowledge: @escaping Acknowledge) async throws {
        // Outside the directory, since what lies in it is counted.
        let otherName = place.directory + "-other-name"
        if hasOtherName {
            try? FileManager.default.removeItem(atPath: otherName)
            try FileManager.default.linkItem(atPath: place.path, toPath: otherName)
        }
        let chain = try before.key == after.key ? after.chain() : KeyChain(before.key, after.key)
        let ciphers = before.cipher == after.cipher ? [after.cipher] : [before.cipher, after.cipher]
        try await using(place, chain, Lines.migrator, ciphers) { store in
            let failure = store.openReport.rotationFailure
            if failure != nil { _ = try await place.againWithSpace { try await store.rotate() } }
            acknowledge(1)
        }
    }

    package func look(in place: Place) async throws -> Sight {
        do {
            return try await sight(place, after, step: 1)
        } catch let error as StrongroomError where [.wrongKey, .truncated, .plaintextFile].contains(error.code) {
            // A kill while the WAL was checkpointed leaves half a page at its end, which a wrong key takes for
            // the reason.
            return try await sight(place, before, step: 0)
        }
    }

    private func sight(_ place: Place, _ form: Form, step: Int) async throws -> Sight {
        let sight = try await using(place, form.chain(), Lines.migrator, [form.cipher]) {
            try await Lines.sight(of: $0)
        }
        return Sight(step: step, rows: sight.rows, integrity: sight.integrity)
    }

    package func rows(after step: Int) -> [String] { Lines.rows(after: 0) }
}

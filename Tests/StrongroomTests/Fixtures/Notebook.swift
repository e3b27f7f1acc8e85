import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Notes, of which some are in memory alone, and their tags.
struct Notebook: Sendable {
    @Table("note")
    struct Note: Equatable {
        var id: Int64?
        @Column(indexed: true) var text: String
        @Column(unique: true) var code: String?
        var rank: Int
    }

    @Table("tag")
    struct Tag: Equatable {
        var id: UUID
        var note: Int64
        var name: String
    }

    @Table("draft")
    struct Draft: Equatable {
        var id: UUID?
        var text: String
    }

    let directory: TemporaryDirectory
    let vault: Vault
    let stores: Stores
    let store: Store

    /// The keys, of which the last one is the current.
    private let keys: KeyBox

    private actor KeyBox {
        var chain: KeyChain

        init(_ chain: KeyChain) { self.chain = chain }

        func set(_ chain: KeyChain) { self.chain = chain }
    }

    init(in place: Persistence = .disk, readers: Int = 2, keyChain: KeyChain? = nil) async throws {
        directory = try TemporaryDirectory()
        let keys = KeyBox(try keyChain ?? KeyChain(.numbered(1)))
        self.keys = keys
        vault = Vault(directory.path("")) { _ in await keys.chain }
            .with(\.migrator, .automatic(tables: [Note.schema, Tag.schema, Draft.schema]))
            .with(\.settings, StoreSettings(readers: readers, groupDuration: .seconds(1_000)))
        stores = try Stores(vault)
        store = try await stores.open("vault.sqlite", in: place)
    }

    /// Adds a key to the chain.
    func addKey() async throws {
        await keys.set(try KeyChain(.numbered(1), .numbered(2)))
    }

    /// Writes notes, each on the disk or in memory.
    @discardableResult
    func write(_ notes: (String, rank: Int, Persistence)...) async throws -> [Int64] {
        try await store.write { db in
            try notes.map { text, rank, persistence in
                try Note.insert(Note(text: text, rank: rank), persistence: persistence, in: db)
            }
        }
    }

    /// All texts by rank.
    func texts() async throws -> [String] {
        try await store.read { db in try Note.order { $0.rank.ascending }.fetch(in: db).map(\.text) }
    }

    /// The files of the directory that have a text in them, whatever their names, in alphabetical order. Read by
    /// another process: closing a file that the engine has open would drop its locks.
    func filesHolding(_ text: String) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path("")).sorted()
        return try names.filter { name in
            let search = Process()
            search.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            search.arguments = ["grep", "-qaF", text, directory.path(name)]
            try search.run()
            return search.waitForEnd() == 0
        }
    }

    /// The files that the engine has removed and still has open, as it does with temporary ones, and that have a text
    /// in them.
    static func temporaryFilesHolding(_ text: String) throws -> [String] {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return open.filter { descriptor in
            let path = "/proc/self/fd/\(descriptor)"
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
                target.contains("etilqs_")
            else { return false }
            return FileManager.default.contents(atPath: path)?.range(of: Data(text.utf8)) != nil
        }
    }
}

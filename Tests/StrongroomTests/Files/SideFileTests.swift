import Foundation
// Internal: the lock beside the new file of a salvage.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Files that killed processes leave beside a database", .ending)
struct SideFileTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path("vault"), keys: .numbered(1)) }
    private var rescue: Vault { Vault(directory.path("rescue"), keys: .numbered(1)) }

    /// A name that is missing from the first list leaves a file for good, and one too many loses a file.
    @Test func `their names are these`() {
        #expect(
            SideFiles.leftovers == [
                "restoring", "fetched", "restored", "snapshot.new", "keys.new", "keys.copy.new", "log.new", "salvaged",
            ])
        let others = ["new", "rotating", "plaintext", "trial", "trial.lock", "keys.next", "changes"]
        #expect(SideFiles.libraryEndings == SideFiles.leftovers + others)
    }

    @Test func `the next opening removes them, and nothing of others`() async throws {
        try await vault.keep("line")
        let others = [".vault.sqlite.salvaged.txt", ".vault.sqlite.trial-2", "vault.sqlite-wal.damaged"]
        let own = SideFiles.leftovers + ["rotating", "plaintext", "trial", "trial.lock"]
        for path in own.map(vault.beside) + others.map({ "\(vault.directory)/\($0)" }) {
            try Data("left".utf8).write(to: URL(filePath: path))
        }
        for path in ["salvaged-wal", "log.new-journal", "trial-wal"].map(vault.beside) {
            try Data("left".utf8).write(to: URL(filePath: path))
        }
        // Of a dry run that was killed before its copy existed, too.
        try Data().write(to: URL(filePath: vault.beside("trial.lock")))
        #expect(try await vault.lines() == ["line"])
        #expect(try vault.left == others)
    }

    @Test func `those of a salvage go with the opening of the new file`() async throws {
        try await vault.keep("line")
        let wanted = [".vault.sqlite.lock", ".vault.sqlite.new", ".vault.sqlite.salvaged"]
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = vault.directory as String, target = rescue.path as String] in
            _ = try await Stores(Vault(root, keys: .numbered(1))).salvage("vault.sqlite", to: target) { _ in
                kill(getpid(), SIGKILL)
            }
        }
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: rescue.directory)).isSuperset(of: wanted))
        #expect(try await rescue.keep("new").outcome == .created)
        #expect(try rescue.left == [])
    }

    @Test func `a running salvage keeps its files from an opening of the new file`() async throws {
        try await vault.keep("line")
        let (path, isLocked) = (rescue.beside("lock"), Locked(false))
        _ = try await Stores(vault).salvage("vault.sqlite", to: rescue.path) { _ in
            let isFree = (try? FileLock.tryAcquire(path)) != nil
            if !isFree { isLocked.withLock { $0 = true } }
        }
        #expect(isLocked.withLock { $0 })
        #expect(try await rescue.lines() == ["line"])
    }

    @Test func `those of a dry run go, and those of a running one stay`() async throws {
        let migrator = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
        }
        try await vault.with(\.migrator, migrator).keep("line")
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = vault.directory as String] in
            try await Self.dryRun(Vault(root, keys: .numbered(1))) { kill(getpid(), SIGKILL) }
        }
        #expect(try vault.left.contains(".vault.sqlite.trial") && vault.left.contains(".vault.sqlite.trial.lock"))
        #expect(try await vault.with(\.migrator, nil).lines() == ["line"])
        #expect(try vault.left == [])
        let (isDry, mayGoOn) = (directory.path("is-dry"), directory.path("may-go-on"))
        async let other: Void = {
            await #expect(processExitsWith: .success) {
                [root = vault.directory as String, isDry = isDry as String, mayGoOn = mayGoOn as String] in
                try await Self.dryRun(Vault(root, keys: .numbered(1))) {
                    try Data().write(to: URL(filePath: isDry))
                    for _ in 0..<6_000 where !FileManager.default.fileExists(atPath: mayGoOn) { usleep(10_000) }
                }
            }
        }()
        try await eventually { FileManager.default.fileExists(atPath: isDry) }
        #expect(try await vault.with(\.migrator, nil).lines() == ["line"])
        #expect(try vault.left.contains(".vault.sqlite.trial") && vault.left.contains(".vault.sqlite.trial.lock"))
        try Data().write(to: URL(filePath: mayGoOn))
        await other
        #expect(try vault.left == [])
    }

    /// Runs work in a step of a dry run.
    private static func dryRun(_ vault: Vault, _ work: @escaping @Sendable () throws -> Void) async throws {
        let migrator = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
            Migration("2") { db in try work() }
        }
        try await vault.with(\.migrator, migrator).with(\.settings.migration, .manual).using { store in
            _ = try await store.dryRun()
        }
    }
}

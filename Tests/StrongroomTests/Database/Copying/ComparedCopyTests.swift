import Foundation
import StrongroomTesting
import Testing

// Internal: a connection to the copy while it is made.
@testable import Strongroom

/// A fault that comes into a copy after it is written is found by the comparison with its source, whatever it is.
@Suite("Comparison of a copy with its database")
struct ComparedCopyTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path(""), keys: .numbered(1)) }

    /// What a faulty disk, engine or program does to a copy.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case none
        /// A row with another value: each page is authentic, and the numbers of rows are the same.
        case otherValue
        /// A row of another storage class whose text looks the same.
        case otherClass
        case missingRow
        /// Two indexes that have each other's entries.
        case otherIndex
        case damagedPage
        /// The pages of an older copy, with the same key.
        case oldPage
        case longer
        case header

        var testDescription: String { rawValue }

        /// A part of the error's message.
        func words(copiesRows: Bool) -> String {
            switch self {
            case .none: ""
            case .otherValue, .oldPage: copiesRows ? "other values" : "another content"
            case .otherClass: copiesRows ? "other values" : "another content"
            case .missingRow: copiesRows ? "99 rows instead of 100" : "another content"
            case .otherIndex: copiesRows ? "not intact" : "another content"
            case .damagedPage: "damaged"
            case .longer: "another length"
            case .header: copiesRows ? "user_version" : "another content"
            }
        }

        func apply(to path: String, key: DerivedKey) throws {
            func run(_ statements: String...) throws {
                let file = DatabaseFile(path: path, name: "copy", busyTimeout: 0, log: nil)
                let connection = try file.connect(.existing, key: key)
                defer { connection.close() }
                for statement in statements { try connection.run(statement) }
            }
            func change(_ work: (inout Data) -> Void) throws {
                var bytes = try Data(contentsOf: URL(filePath: path))
                work(&bytes)
                // Into the same file.
                let file = try FileHandle(forWritingTo: URL(filePath: path))
                try file.write(contentsOf: bytes)
                try file.close()
            }
            let pageSize = key.settings.pageSize
            switch self {
            case .none: break
            case .otherValue: try run("UPDATE line SET text = 'Line 7' WHERE text = 'line 7'")
            case .otherClass: try run("UPDATE number SET value = 5.0 WHERE value = 5")
            case .missingRow: try run("DELETE FROM line WHERE text = 'line 7'")
            case .otherIndex:
                try run(
                    "PRAGMA writable_schema = ON",
                    """
                    CREATE TEMP TABLE root AS
                    SELECT name, rootpage FROM sqlite_master WHERE name LIKE 'line!_%' ESCAPE '!'
                    """,
                    """
                    UPDATE sqlite_master
                    SET rootpage = (SELECT root.rootpage FROM root WHERE root.name <> sqlite_master.name)
                    WHERE name LIKE 'line!_%' ESCAPE '!'
                    """)
            case .damagedPage: try change { $0[$0.count - pageSize / 2] ^= 1 }
            case .oldPage:
                let now = try Data(contentsOf: URL(filePath: path))
                try run("PRAGMA journal_mode = DELETE", "UPDATE line SET text = 'Line 7' WHERE text = 'line 7'")
                let other = try Data(contentsOf: URL(filePath: path))
                let changed = (1..<now.count / pageSize).first { page in
                    let range = page * pageSize..<(page + 1) * pageSize
                    return now[range] != other[range]
                }
                let page = try #require(changed)
                try change { bytes in
                    bytes = now
                    // Authentic, with the same number.
                    let range = page * pageSize..<(page + 1) * pageSize
                    bytes.replaceSubrange(range, with: other[range])
                }
            case .longer: try change { $0 += Data(count: pageSize) }
            case .header: try run("PRAGMA user_version = 42")
            }
        }
    }

    private func makeFile() async throws {
        try await vault.write { db in
            try db.execute("CREATE TABLE number (value)")
            try db.execute("INSERT INTO number VALUES (5), (7)")
            for index in 0..<100 { try db.execute("INSERT INTO line VALUES (\("line \(index)"))") }
            try db.execute("CREATE INDEX line_text ON line (text)")
            try db.execute("CREATE INDEX line_length ON line (length(text), text)")
        }
    }

    /// Another page size: the rows are copied in place of the pages.
    private func otherSettings() throws -> CipherSettings {
        var settings = try CipherSettings.engineDefault()
        settings.pageSize *= 2
        return settings
    }

    /// A page behind the last one changes nothing for a file whose rows are compared.
    static let faults = Fault.allCases.map { ($0, false) } + Fault.allCases.filter { $0 != .longer }.map { ($0, true) }

    @Test(arguments: faults)
    func aFaultInTheCopyEndsARotation(fault: Fault, copiesRows: Bool) async throws {
        try await makeFile()
        let salt = try #require(try FileContent.of(vault.path).salt)
        let settings = try copiesRows ? otherSettings() : .engineDefault()
        let key = try DerivedKey(.numbered(2), salt: salt, settings: settings)
        let isFirst = Once()
        let file = DatabaseFile(path: vault.path, name: "vault", busyTimeout: 0, log: nil)
        let rotation = Rotation(
            file: file, from: try DerivedKey(.numbered(1), salt: salt, settings: .engineDefault()), to: key,
            patience: .zero,
            monitor: WorkMonitor { [copy = vault.beside("rotating")] progress in
                guard progress.phase == .verifying, isFirst() else { return }
                do { try fault.apply(to: copy, key: key) } catch { Issue.record(error) }
            }, whenReplaced: {})
        if fault == .none {
            #expect(try rotation.run().method == .copy)
        } else {
            let error = try #require(throws: StrongroomError.self) { try rotation.run() }
            #expect(error.code == .rotationFailed)
            #expect(error.message.contains(fault.words(copiesRows: copiesRows)), "\(error)")
            #expect(try await vault.lines().count == 100)
        }
        #expect(!isFirst())
        #expect(try DirectorySnapshot(directory.path("")).names == ["vault.sqlite"])
    }

    @Test func aFaultInTheCopyEndsABackup() async throws {
        try await makeFile()
        let salt = try #require(try FileContent.of(vault.path).salt)
        let target = directory.path("out/copy.sqlite")
        try await vault.using { store in
            let isFirst = Once()
            try await expectFailure(.copyDamaged, saying: "another content") {
                try await store.backup(to: target, key: .raw(Array(repeating: 3, count: 32), salt: salt)) { progress in
                    guard progress.phase == .verifying, isFirst() else { return }
                    let copy = FileSystem.hiddenFile(of: target, "new")
                    do {
                        let key = try DerivedKey(
                            .raw(Array(repeating: 3, count: 32)), salt: salt, settings: .engineDefault())
                        try Fault.otherValue.apply(to: copy, key: key)
                    } catch { Issue.record(error) }
                }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    /// The pages of the snapshot are read from the WAL and the file, which others write and checkpoint.
    @Test func othersCommitAndCheckpointWhileABackupIsCompared() async throws {
        try await makeFile()
        let target = directory.path("out/vault_copy.sqlite")
        try await vault.using { store in
            // Half of the pages are in the WAL.
            try await store.write { db in try db.execute("UPDATE line SET text = text || 'x' WHERE rowid > 50") }
            let phases = Locked<Set<WorkProgress.Phase>>([])
            let report = try await store.backup(to: target) { progress in
                guard phases.withLock({ $0.insert(progress.phase).inserted }) else { return }
                let isWritten = Moment()
                Task {
                    for _ in 0..<20 {
                        try await store.write { db in try db.execute("UPDATE line SET text = text || 'y'") }
                        try await store.pool.perform(.ungroupedWrite) { connection in
                            try connection.run("PRAGMA wal_checkpoint(PASSIVE)")
                        }
                    }
                    isWritten.come()
                }
                do { try isWritten.block() } catch { Issue.record(error) }
            }
            #expect(try await store.value("SELECT count(*) FROM line WHERE text LIKE '%yy'", as: Int.self) == 100)
            #expect(phases.withLock { $0 } == [.writing, .verifying])
            #expect(report.rows > 102)
        }
        let copies = try Stores(Vault(directory.path("out"), keys: .numbered(1)).with(\.migrator, nil))
        let copy = try await copies.open("vault_copy.sqlite")
        #expect(try await copy.value("SELECT count(*) FROM line WHERE text LIKE '%y%'", as: Int.self) == 0)
        try await copy.close()
    }
}

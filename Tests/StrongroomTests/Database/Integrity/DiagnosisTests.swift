import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("What a file is said to be", .ending)
struct DiagnosisTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var vault: Vault { Vault(directory.path(""), keys: key) }
    /// With some rows in it, on the first key.
    private let key = Key.numbered(4)

    private var file: URL { URL(filePath: vault.path) }

    private func chain(_ keys: Key...) -> Vault { Vault(directory.path("")) { _ in try KeyChain(keys) } }

    /// What is said with a configuration; nothing at all may be written for it.
    private func diagnose(_ vault: Vault, sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> FileDiagnosis
    {
        let before = try DirectorySnapshot(directory.path(""), ignoring: [])
        let diagnosis = try await Stores(vault).diagnose("vault.sqlite")
        try before.expectUntouched(sourceLocation: sourceLocation)
        #expect(diagnosis.path == vault.path, sourceLocation: sourceLocation)
        return diagnosis
    }

    private func damage(_ change: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: file)
        change(&bytes)
        try bytes.write(to: file)
    }

    @Test func nothing() async throws {
        let diagnosis = try await diagnose(vault)
        #expect(diagnosis.finding == .absent && diagnosis.bytes == 0 && diagnosis.key == nil)
        #expect(try await diagnose(Vault(directory.path("")) { _ in .plaintext }).finding == .absent)
        #expect(try await Stores.diagnose(path: "/nowhere/at/all").finding == .absent)
    }

    @Test func somethingElse() async throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(try await diagnose(vault).finding == .notAFile)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: URL(filePath: "/nowhere"))
        #expect(try await diagnose(vault).finding == .notAFile)
    }

    @Test(arguments: [(0, FileDiagnosis.Finding.empty), (15, .tooShort), (16, .tooShort), (511, .tooShort)])
    func shortFiles(length: Int, finding: FileDiagnosis.Finding) async throws {
        try Data(repeating: 7, count: length).write(to: file)
        let diagnosis = try await diagnose(vault)
        #expect(diagnosis.finding == finding && diagnosis.bytes == length)
        #expect(!diagnosis.advice.isEmpty && diagnosis.description.contains(diagnosis.advice))
    }

    @Test func plaintext() async throws {
        try await Vault(directory.path("")) { _ in .plaintext }.keep("readable")
        let diagnosis = try await diagnose(vault)
        #expect(
            diagnosis.finding == .plaintext && diagnosis.version == "1" && diagnosis.advice.contains("Key.plaintext"))
        #expect(try await Stores.diagnose(path: vault.path).finding == .plaintext)
    }

    @Test func whatNeedsAKeyThatIsNotGiven() async throws {
        try await vault.keep("secret")
        #expect(try await Stores.diagnose(path: vault.path).finding == .keyless)
        #expect(try await diagnose(Vault(directory.path("")) { _ in .plaintext }).finding == .keyless)
        let found = try await Stores.diagnose(path: vault.path, keys: KeyChain(key))
        #expect(found.finding == .intact && found.version == "1")
    }

    @Test(arguments: [Key.numbered(4), .passphrase("first")])
    func whichKeyFits(key: Key) async throws {
        try await chain(key).keep("secret")
        let first = try await diagnose(chain(key, .numbered(2), .numbered(3)))
        #expect(first.finding == .intact && first.key == KeyUse(position: 0, count: 3))
        #expect(first.settings == (try CipherSettings.engineDefault()) && first.pages > 2 && first.damagedPages.isEmpty)
        #expect(Int64(first.pages) * Int64(first.settings?.pageSize ?? 0) == first.bytes)
        #expect(try await diagnose(chain(.numbered(1), key)).key == KeyUse(position: 1, count: 2))
        let none = try await diagnose(chain(.numbered(1), .numbered(2)))
        #expect(none.finding == .wrongKey && none.key == nil && none.settings == nil && none.pages == 0)
    }

    @Test func whichSettingsFit() async throws {
        var vault = vault
        vault.ciphers = [CipherSettings(pageSize: 2_048, iterations: 5, derivationHash: .sha1, pageHash: .sha1)]
        try await vault.keep("of its own")
        #expect(try await diagnose(self.vault).finding == .wrongKey)
        vault.ciphers = try [.sqlCipher3, CipherSettings.engineDefault()] + (vault.ciphers ?? [])
        let diagnosis = try await diagnose(vault)
        #expect(diagnosis.finding == .intact && diagnosis.settings?.iterations == 5)
        #expect(diagnosis.description.contains("2048 bytes"))
    }

    @Test func anEnvelope() async throws {
        let vault = vault.with(\.protection, .envelope)
        try await vault.keep("wrapped")
        let whole = try await diagnose(vault)
        #expect(whole.finding == .intact && whole.hasEnvelope && whole.key == KeyUse(position: 0, count: 1))
        #expect(try await diagnose(chain(.numbered(9))).finding == .wrongKey)
        let copies = [".keys", ".keys.copy"].map { vault.path + $0 }
        for copy in copies { try Data(repeating: 3, count: 300).write(to: URL(filePath: copy)) }
        let damaged = try await diagnose(vault)
        #expect(damaged.finding == .envelope && damaged.reason != nil)
        for copy in copies { try FileManager.default.removeItem(atPath: copy) }
        let gone = try await diagnose(vault)
        // Nothing says whether there was one.
        #expect(gone.finding == .wrongKey && !gone.hasEnvelope)
        let reason = try #require(gone.reason)
        #expect(reason.contains("If it had one, restore") && reason.contains("never had one"), "\(reason)")
    }

    @Test func aFileThatWasCutOff() async throws {
        try await vault.keep("one", "two")
        let whole = try await diagnose(vault)
        let pageSize = whole.settings?.pageSize ?? 0
        try damage { $0.removeLast(1) }
        let byAByte = try await diagnose(vault)
        #expect(byAByte.finding == .truncated && byAByte.missingPages == 1 && byAByte.pages == whole.pages)
        try damage { $0.removeLast(2 * pageSize - 1) }
        let byPages = try await diagnose(vault)
        #expect(byPages.finding == .truncated && byPages.missingPages == 2 && byPages.damagedPages.isEmpty)
    }

    @Test func damagedPages() async throws {
        let specimen = try await DamageSpecimen()
        let (path, size) = (specimen.vault.path, specimen.layout.pageSize)
        let last = specimen.whole.count / size
        var bytes = specimen.whole
        bytes[(last - 1) * size + 40] ^= 1
        try bytes.write(to: URL(filePath: path))
        let diagnosis = try await Stores(specimen.vault).diagnose("vault.sqlite")
        #expect(diagnosis.finding == .damaged && diagnosis.damagedPages.map(\.number) == [last])
        let owner = try await specimen.vault.using { store in try await store.verify().damagedPages.first }
        #expect(diagnosis.damagedPages.first == owner)
        // The key is still found when the first page is the one.
        bytes = specimen.whole
        bytes[size / 2] ^= 1
        try bytes.write(to: URL(filePath: path))
        let first = try await Stores(specimen.vault).diagnose("vault.sqlite")
        #expect(first.finding == .damaged && first.damagedPages.map(\.number) == [1] && first.key != nil)
    }

    @Test func versions() async throws {
        let two = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
            Migration("2") { db in try db.execute("ALTER TABLE line ADD COLUMN length INTEGER") }
        }
        try await vault.keep("old")
        let pending = try await diagnose(vault.with(\.migrator, two))
        #expect(pending.finding == .intact && pending.version == "1" && pending.pendingVersions == ["2"])
        try await vault.with(\.migrator, two).using { _ in }
        let newer = try await diagnose(vault)
        #expect(newer.finding == .newerSchema && newer.version == "2" && newer.reason?.contains("\"2\"") == true)
    }

    @Test func aLogThatAKilledProgramLeft() async throws {
        await vault.leaveLog(key: 4)
        let diagnosis = try await diagnose(vault)
        #expect(diagnosis.finding == .intact && diagnosis.hasLog && diagnosis.description.contains("a log"))
        #expect(try await vault.lines() == ["in the log"])
        #expect(try await !diagnose(vault).hasLog)
    }

    @Test func aFileThatIsOpenHereAndWrittenMeanwhileKeepsItsLocks() async throws {
        let store = try await vault.open()
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('first')") }
        try await eventually { (try? locks().isEmpty) == !isLinux }
        let before = try locks()
        for number in 0..<20 {
            async let writing: Void = store.write { db in
                for line in 0..<50 { try db.execute("INSERT INTO line VALUES (\("\(number) \(line)"))") }
            }
            let diagnosis = try await Stores(vault).diagnose("vault.sqlite")
            #expect(diagnosis.finding == .intact, "\(diagnosis)")
            try await writing
            try await store.checkpoint()
        }
        // The system's list may lack some while others come and go.
        try await eventually { (try? locks()) == before }
        try await store.close()
        #expect(try await vault.lines().count == 1_001)
    }

    /// The locks that this process has on the file, as the system lists them but for their numbers: while others come
    /// and go it may repeat some.
    private func locks() throws -> Set<Substring> {
        #if os(Linux)
        let node = try #require(try FileManager.default.attributesOfItem(atPath: vault.path)[.systemFileNumber] as? Int)
        let table = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        let own = table.split(separator: "\n").filter { $0.contains(" \(getpid()) ") && $0.contains(":\(node) ") }
        return Set(own.map { $0.drop { $0 != ":" } })
        #else
        return []
        #endif
    }

    private var isLinux: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    #if os(Linux)
    @Test func processesThatHaveTheFileOpenAreNamed() async throws {
        let store = try await vault.open()
        await #expect(processExitsWith: .success) { [root = vault.directory as String, parent = getpid() as Int32] in
            let found = try await Stores(Vault(root, keys: .numbered(4))).diagnose("vault.sqlite")
            #expect(found.holders.contains { $0.process == parent } && found.description.contains("process \(parent)"))
        }
        try await store.close()
    }
    #endif

    @Test func anotherFileWithTheSameKeys() async throws {
        try await vault.keep("saved")
        let copy = directory.path("a copy?with%20signs#.db")
        try FileManager.default.copyItem(atPath: vault.path, toPath: copy)
        let diagnosis = try await Stores(vault).diagnose("vault.sqlite", at: copy)
        #expect(diagnosis.finding == .intact && diagnosis.path == copy)
    }

    @Test func itIsCancelled() async throws {
        let specimen = try await DamageSpecimen()
        await expectCancelled { report in
            try await Stores(specimen.vault).diagnose("vault.sqlite") { report($0) }
        }
    }

    // MARK: Errors

    @Test func aFailureOfOpeningCarriesIt() async throws {
        try await vault.keep("secret")
        let wrong = try await expectFailure(.wrongKey) { try await chain(.numbered(2)).open() }
        #expect(wrong.diagnosis?.finding == .wrongKey && wrong.diagnosis?.path == vault.path)
        #expect(wrong.diagnosis?.reason == wrong.message && (wrong.diagnosis?.bytes ?? 0) > 0)
        let failing = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (text TEXT NOT NULL)") }
            Migration("2") { db in try db.execute("no SQL") }
        }
        let failed = try await expectFailure(.migrationFailed) {
            try await chain(.numbered(0), key).with(\.migrator, failing).open()
        }
        #expect(failed.diagnosis?.finding == .unexamined)
        #expect(failed.diagnosis?.key == KeyUse(position: 1, count: 2) && failed.diagnosis?.settings != nil)
        let nowhere = try await expectFailure(.noConfiguration) { try await Stores(vault).open("other.sqlite") }
        #expect(nowhere.diagnosis == nil)
        try Data().write(to: file)
        #expect(try await expectFailure(.emptyFile) { try await vault.open() }.diagnosis?.finding == .empty)
    }

    @Test func whatALogMayMendIsLeftOpen() async throws {
        await vault.leaveLog(key: 4)
        try damage { $0[$0.count - 100] ^= 1 }
        let seeming = try await diagnose(vault)
        #expect(seeming.finding == .unexamined && seeming.damagedPages.count == 1 && seeming.reason != nil)
        #expect(try await diagnose(chain(.numbered(1))).finding == .unexamined)
    }

    @Test func theFilesOfADatabaseBehindALink() async throws {
        let real = Vault(directory.path("real"), keys: key).with(\.protection, .envelope)
        try await real.keep("wrapped")
        try FileManager.default.createSymbolicLink(atPath: vault.path, withDestinationPath: real.path)
        let diagnosis = try await Stores(vault.with(\.protection, .envelope)).diagnose("vault.sqlite")
        #expect(diagnosis.finding == .intact && diagnosis.hasEnvelope)
        let loop = directory.path("loop.sqlite")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        #expect(try await Stores.diagnose(path: loop).finding == .notAFile)
        try Data().write(to: URL(filePath: directory.path("a file")))
        #expect(try await Stores.diagnose(path: directory.path("a file/inside")).finding == .notAFile)
        #expect(try await Stores.diagnose(path: "/dev/zero").finding == .notAFile)
    }

    @Test func aKeyFileThatIsMissingSaysNothingOfTheFile() async throws {
        try await vault.keep("secret")
        let path = directory.path("no keys")
        let error = try await expectFailure(.fileMissing) {
            try await Vault(directory.path("")) { _ in try KeyFile(path).keyChain() }.open()
        }
        #expect(error.diagnosis?.finding == .unexamined && (error.diagnosis?.bytes ?? 0) > 0)
    }

    @Test func aSchemaWithoutEndDoesNotHoldItUp() async throws {
        let file = DatabaseFile(path: vault.path, name: "hostile", busyTimeout: 0, log: nil)
        try Data().write(to: self.file)
        let connection = try file.connect(.existing, key: nil)
        try connection.run("CREATE TABLE strongroom_migrations (place, version, fingerprint)")
        try connection.run("PRAGMA writable_schema = ON")
        try connection.run(
            """
            UPDATE sqlite_master SET rootpage = 0, sql = 'CREATE VIEW strongroom_migrations AS WITH RECURSIVE n \
            (place, version, fingerprint) AS (SELECT 1, 1, 1 UNION ALL SELECT place + 1, 1, 1 FROM n) SELECT * FROM n'
            """)
        connection.close()
        #expect(try await Stores.diagnose(path: vault.path).finding == .plaintext)
    }
}

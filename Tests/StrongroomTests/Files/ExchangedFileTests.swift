import Foundation
import StrongroomTesting
import Synchronization
import Testing

// Internal: what happens between the making of a file and its writing.
@testable import Strongroom

/// Another program gives the name of a file that is being made to a file of its own: nothing is written to that.
struct ExchangedFileTests {
    private static let content = Data("all that is mine".utf8)

    private let directory: TemporaryDirectory
    private var path: String { directory.path("made") }
    private var mine: String { directory.path("mine") }

    init() throws {
        directory = try TemporaryDirectory()
        try Self.content.write(to: URL(filePath: mine))
    }

    enum Exchange: CaseIterable {
        case link, file
    }

    private static func exchange(_ path: String, _ exchange: Exchange, mine: String) throws {
        try FileManager.default.moveItem(atPath: path, toPath: path + ".gone")
        switch exchange {
        case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: mine)
        case .file: try FileManager.default.linkItem(atPath: mine, toPath: path)
        }
    }

    private func database(_ path: String) -> DatabaseFile {
        DatabaseFile(path: path, name: "made.sqlite", busyTimeout: 0, log: nil)
    }

    private func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try Data(contentsOf: URL(filePath: mine)) == Self.content, sourceLocation: sourceLocation)
    }

    @Test(arguments: Exchange.allCases)
    func whatIsWrittenGoesToTheFileThatWasMade(exchange: Exchange) throws {
        let file = try PlainFile(creating: path)
        try Self.exchange(path, exchange, mine: mine)
        try Array("secret".utf8).withUnsafeBytes { try file.write($0, at: 0) }
        try file.synchronize()
        try expectFailure(.fileChanged) { try file.moveIntoPlace(directory.path("place")) }
        try expectFailure(.fileChanged) { try file.replace(directory.path("place")) }
        #expect(!FileManager.default.fileExists(atPath: directory.path("place")))
        try expectUntouched()
        #expect(try Data(contentsOf: URL(filePath: path + ".gone")) == Data("secret".utf8))
    }

    @Test(arguments: Exchange.allCases)
    func whatTheEngineHasOpenedIsProvedToBeTheFile(exchange: Exchange) throws {
        let file = try PlainFile(creating: path)
        let sound = try database(path).connect(.existing, key: nil)
        try file.requireOpened(by: sound)
        sound.close()
        #expect(try file.size() == 0)
        try Self.exchange(path, exchange, mine: mine)
        let other = try database(path).connect(.existing, key: nil)
        defer { other.close() }
        // Also when the name has been changed back.
        try expectFailure(.fileChanged) { try file.requireOpened(by: other) }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".gone", toPath: path)
        try expectFailure(.fileChanged) { try file.requireOpened(by: other) }
        try expectUntouched()
    }

    /// While the pages are being copied, which is when the closure is asked whether that is cancelled.
    @Test(arguments: Exchange.allCases)
    func aCopyOfADatabaseIsNotWritten(exchange: Exchange) throws {
        let source = try Connection(path: directory.path("source"), mode: .create, database: "source")
        defer { source.close() }
        try source.run("CREATE TABLE line (text)")
        try source.run(
            """
            INSERT INTO line
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT 'line ' || i FROM n
            """)
        let (path, mine, isFirst) = (path, mine, Once())
        var monitor = WorkMonitor()
        monitor.isCancelled = {
            if isFirst() { try? Self.exchange(path, exchange, mine: mine) }
            return false
        }
        let copy = CheckedCopy(
            file: database(directory.path("source")), from: nil, to: nil, path: path, monitor: monitor)
        #expect(throws: StrongroomError.self) { try copy.make(from: source) }
        #expect(!isFirst())
        try expectUntouched()
    }

    @Test(arguments: Exchange.allCases)
    func rowsAreNotCopiedToIt(exchange: Exchange) throws {
        let source = try Connection(path: directory.path("source"), mode: .create, database: "source")
        defer { source.close() }
        try source.run("CREATE TABLE line (text)")
        let file = try PlainFile(creating: path)
        // Empty, or the engine would refuse it by itself.
        try Data().write(to: URL(filePath: mine))
        try Self.exchange(path, exchange, mine: mine)
        try expectFailure(.fileChanged) {
            try ContentCopy.run(from: source, to: file, key: nil, progress: { _, _ in }) {}
        }
        #expect(try Data(contentsOf: URL(filePath: mine)).isEmpty)
    }
}

@Suite("Replaced files")
struct ReplacedFileTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let content = Data(repeating: 7, count: 10_000)

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("vault.sqlite")
        try content.write(to: URL(filePath: path))
    }

    private func contentByAnotherName(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: directory.path(name)))
    }

    @Test func theBeginningOfAFileWithoutFurtherNamesIsOverwritten() throws {
        let file = try ReplacedFile(path)
        let reader = try FileHandle(forReadingFrom: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path)
        try file.invalidate()
        let left = try #require(try reader.readToEnd())
        #expect(left.count == content.count)
        #expect(left.prefix(4_096) != content.prefix(4_096) && left.dropFirst(4_096) == content.dropFirst(4_096))
    }

    @Test func aFileWithANameThatIsNotTheLibrarysStaysAsItIs() throws {
        let file = try ReplacedFile(path)
        try FileManager.default.linkItem(atPath: path, toPath: directory.path("backup"))
        try file.invalidate(names: 1)
        #expect(try contentByAnotherName("backup") == content)
        try FileManager.default.removeItem(atPath: path)
        try file.invalidate()
        #expect(try contentByAnotherName("backup") == content)
        try file.invalidate(names: 1)
        #expect(try contentByAnotherName("backup") != content)
    }

    #if os(Linux)
    /// Its locks are kept, so that the program's operations fail.
    @Test func aFileThatAnotherProgramHasOpenIsKeptAfterAFailure() throws {
        let holder = try FileHolder(path)
        defer { holder.end() }
        let file = try ReplacedFile(path)
        try FileManager.default.removeItem(atPath: path)
        try file.retire()
        #expect(ReplacedFile.isHeld(path))
    }
    #endif
}

/// Another process closes the file while this one looks at what lies beside it.
@Suite struct PassingLogTests {
    private static let wal: [UInt8] = [0x37, 0x7F, 0x06, 0x82, 0, 0, 0, 0, 0, 0, 0x10, 0]
    private static let spentJournal = [UInt8](repeating: 0, count: 28)

    /// Looks at a file's log many times, while somebody else makes and removes it.
    private func look(
        at ending: String, _ content: [UInt8], _ look: (DatabaseFile) throws -> Void
    ) throws {
        let directory = try TemporaryDirectory()
        let file = DatabaseFile(path: directory.path("vault.sqlite"), name: "vault.sqlite", busyTimeout: 0, log: nil)
        let other = Other(log: file.path + ending, content)
        other.start()
        defer { other.end() }
        while other.rounds < 50 { try look(file) }
    }

    @Test func aLogThatComesAndGoesIsNoFailure() throws {
        try look(at: "-wal", Self.wal) { file in
            let size = try file.logPageSize()
            #expect(size == nil || size == 4_096)
        }
    }

    @Test func aSpentJournalThatAnotherProcessRemovesIsNoFailure() throws {
        try look(at: "-journal", Self.spentJournal) { file in try file.removeSpentJournal() }
    }
}

/// Makes and removes a log as long as nobody ends it.
private final class Other: Sendable {
    private let log: String
    private let content: [UInt8]
    private let done = Atomic(0)
    private let isWanted = Atomic(true)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(log: String, _ content: [UInt8]) {
        self.log = log
        self.content = content
    }

    var rounds: Int { done.load(ordering: .relaxed) }

    func start() {
        Thread.detachNewThread { [self] in
            while isWanted.load(ordering: .relaxed) {
                for _ in 0..<20 {
                    _ = FileManager.default.createFile(atPath: log, contents: Data(content))
                    unlink(log)
                }
                done.add(1, ordering: .relaxed)
            }
            hasEnded.signal()
        }
    }

    func end() {
        isWanted.store(false, ordering: .relaxed)
        hasEnded.wait()
    }
}

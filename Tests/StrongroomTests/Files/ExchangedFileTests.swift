import Foundation
// Internal: what happens between the making of a file and its writing.
@testable import Strongroom
import StrongroomTesting
import Testing

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
        let file = try PlainFile(making: path)
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
        let file = try PlainFile(making: path)
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
        let (path, mine, count) = (path, mine, Locked(0))
        var monitor = WorkMonitor()
        monitor.isCancelled = {
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { try? Self.exchange(path, exchange, mine: mine) }
            return false
        }
        let copy = CheckedCopy(
            file: database(directory.path("source")), from: nil, to: nil, path: path, monitor: monitor)
        #expect(throws: StrongroomError.self) { try copy.make(from: source) }
        #expect(count.withLock { $0 } > 0)
        try expectUntouched()
    }

    @Test(arguments: Exchange.allCases)
    func rowsAreNotCopiedToIt(exchange: Exchange) throws {
        let source = try Connection(path: directory.path("source"), mode: .create, database: "source")
        defer { source.close() }
        try source.run("CREATE TABLE line (text)")
        let file = try PlainFile(making: path)
        // Empty, or the engine would refuse it by itself.
        try Data().write(to: URL(filePath: mine))
        try Self.exchange(path, exchange, mine: mine)
        try expectFailure(.fileChanged) {
            try ContentCopy.run(from: source, to: file, key: nil, progress: { _, _ in }) {}
        }
        #expect(try Data(contentsOf: URL(filePath: mine)).isEmpty)
    }
}

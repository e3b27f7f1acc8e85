import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

@Suite("Watched files", .ending)
struct FileWatchingTests {
    private struct Fixture {
        let directory: TemporaryDirectory
        let path: String
        let watching = FileWatching()
        let changes = Tally()

        init() throws {
            directory = try TemporaryDirectory()
            path = directory.path("a.sqlite")
            try write("", "1")
        }

        func write(_ ending: String, _ text: String) throws {
            let path = path + ending
            if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        }

        func watch() throws -> FileWatch {
            let watch = watching.watch(path) { [changes] report in
                #expect(report == .change)
                changes.add()
            }
            return try #require(watch)
        }

        /// Does something, and waits until it is reported.
        func expectReport(_ change: () throws -> Void) async throws {
            let before = changes.value
            try change()
            try await eventually { changes.value > before }
            // Nothing of it is to be reported after the next change.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func theFileAndItsLogAreWatchedWheneverTheyAppear() async throws {
        let fixture = try Fixture()
        let watch = try fixture.watch()
        try await fixture.expectReport { try fixture.write("", "2") }
        try await fixture.expectReport { try fixture.write("-wal", "1") }
        try await fixture.expectReport { try fixture.write("-wal", "2") }
        // Another log, under the same name.
        try await fixture.expectReport { try FileManager.default.removeItem(atPath: "\(fixture.path)-wal") }
        try await fixture.expectReport { try fixture.write("-wal", "3") }
        try await fixture.expectReport { try fixture.write("-wal", "4") }
        withExtendedLifetime(watch) {}
    }

    @Test func aFileThatIsReplacedIsWatchedAgain() async throws {
        let fixture = try Fixture()
        let watch = try fixture.watch()
        for text in ["2", "3"] {
            let new = fixture.directory.path("new")
            try Data(text.utf8).write(to: URL(filePath: new))
            try await fixture.expectReport {
                #expect(rename(new, fixture.path) == 0)
            }
            try await fixture.expectReport { try fixture.write("", text) }
        }
        try await fixture.expectReport { try FileManager.default.removeItem(atPath: fixture.path) }
        try await fixture.expectReport { try fixture.write("", "4") }
        withExtendedLifetime(watch) {}
    }

    @Test func eachWatchHasItsOwnFilesAndItsOwnEnd() async throws {
        let fixture = try Fixture()
        try fixture.write("-wal", "1")
        let others = Tally()
        let other = fixture.directory.path("b.sqlite")
        try Data().write(to: URL(filePath: other))
        let watch = fixture.watching.watch(other) { _ in others.add() }
        let second = try #require(watch)
        var first: FileWatch? = try fixture.watch()
        try await fixture.expectReport { try fixture.write("-wal", "2") }
        #expect(others.value == 0)
        first = nil
        let before = fixture.changes.value
        try fixture.write("-wal", "3")
        try Data("1".utf8).write(to: URL(filePath: "\(other)-wal"))
        try await eventually { others.value > 0 }
        #expect(fixture.changes.value == before && first == nil)
        second.renew()
    }

    @Test func aFileWithoutADirectoryHasNoWatch() {
        let watch = FileWatching().watch("/nowhere/at/all") { _ in }
        #expect(watch == nil)
    }
}

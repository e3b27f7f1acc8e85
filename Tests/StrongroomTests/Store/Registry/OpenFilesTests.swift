import Foundation
import StrongroomTesting
import Testing

// What the process has open is one list for all tests; one of a test's own cannot be had through the public interface.
@testable import Strongroom

@Suite struct OpenFilesTests {
    private let directory = TemporaryDirectory.ofSuite()
    private let files = OpenFiles()

    private func make(_ name: String) throws -> String {
        let path = directory.path(name)
        try Data(name.utf8).write(to: URL(filePath: path))
        return path
    }

    private func link(_ path: String, _ name: String) throws -> String {
        let other = directory.path(name)
        try FileManager.default.linkItem(atPath: path, toPath: other)
        return other
    }

    private func claim(_ path: String) throws {
        try files.claim(path, try DatabaseName("some.sqlite"))
    }

    private func isRefused(_ path: String) -> Bool {
        do {
            try claim(path)
            return false
        } catch let error as StrongroomError {
            return [.alreadyOpen, .invalidName].contains(error.code)
        } catch {
            return false
        }
    }

    @Test(arguments: ["-wal", "-shm", "-journal", ".keys", ".keys.copy"])
    func namesOfTheFilesOfAnotherDatabaseAreRefusedInAnyOrder(ending: String) throws {
        let (one, two) = (directory.path("one.sqlite"), directory.path("two.sqlite"))
        try claim(one)
        #expect(isRefused(one + ending))
        try claim(two + ending)
        #expect(isRefused(two))
        files.release(one)
        files.release(two + ending)
        try claim(one + ending)
        try claim(two)
    }

    @Test func aFileThatWasPutInItsPlaceIsKnownAndTheOldOneFree() throws {
        let path = try make("one.sqlite")
        let old = try link(path, "old.sqlite")
        try claim(path)
        try files.identify(path)
        let new = try make("new.sqlite")
        try #require(rename(new, path) == 0)
        try files.identify(path)
        let other = try link(path, "other.sqlite")
        #expect(isRefused(other))
        try claim(old)
    }

    @Test func aFileThatWasRemovedWhileItWasClosedIsNoOther() throws {
        let path = try make("one.sqlite")
        let other = try link(path, "other.sqlite")
        try claim(path)
        try files.identify(path)
        files.markClosing(path)
        #expect(isRefused(other))
        try FileManager.default.removeItem(atPath: path)
        try claim(other)
    }

    /// Another file may have got what it had.
    @Test func aFileThatWasRemovedBeforeItWasOpenedIsNoOther() throws {
        let path = try make("one.sqlite")
        let other = try link(path, "other.sqlite")
        try claim(path)
        try FileManager.default.removeItem(atPath: path)
        try claim(other)
        try files.identify(other)
        // Both have the same identity in the list.
        files.release(path)
        #expect(isRefused(try link(other, "third.sqlite")))
    }
}

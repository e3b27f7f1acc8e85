#if os(Linux)
import Foundation
import StrongroomTesting
import Testing

/// A small file system in memory, there as long as the value is.
final class SmallDisk: Sendable {
    struct NotMounted: Error {
        let reason: String
    }

    static let isPossible = geteuid() == 0 && (try? SmallDisk()) != nil

    let path: String
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard let mount = Program(named: "mount") else { throw NotMounted(reason: "there is no mount program") }
        let result = try mount.run(["-t", "tmpfs", "-o", "size=256k", "strongroom-tests", path])
        guard result.status == 0 else { throw NotMounted(reason: result.errors) }
    }

    deinit {
        // A lazy one also comes through while a connection of a failed test is still open.
        _ = try? Program(named: "umount")?.run(["-l", path])
    }

    /// Mounts it read-only, as Linux does after I/O errors.
    func makeReadOnly() throws {
        let result = try Program(named: "mount")?.run(["-o", "remount,ro", path])
        guard result?.status == 0 else { throw NotMounted(reason: result?.errors ?? "") }
    }

    /// Fills what is free.
    func fill() throws {
        let file = try #require(fopen("\(path)/filler", "w"))
        defer { fclose(file) }
        let block = [UInt8](repeating: 0, count: 4096)
        setvbuf(file, nil, _IONBF, 0)
        while fwrite(block, 1, block.count, file) == block.count {}
    }

    /// Frees it again.
    func empty() throws {
        try FileManager.default.removeItem(atPath: "\(path)/filler")
    }
}
#endif

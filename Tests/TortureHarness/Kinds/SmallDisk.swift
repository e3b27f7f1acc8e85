import Foundation

/// A file system of a few megabytes, mounted at a round's data; or, without the rights for it, a limit on the size of
/// files.
final class SmallDisk {
    private static let programs = (mount: "/usr/bin/mount", unmount: "/usr/bin/umount")

    #if os(Linux)
    /// Root can mount, but not in every container: asked once.
    static let canMount: Bool = {
        let directory = NSTemporaryDirectory() + "/torture-mount-\(getpid())"
        guard geteuid() == 0, mkdir(directory, 0o700) == 0 else { return false }
        defer { rmdir(directory) }
        guard run([programs.mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", directory], directory + ".log") else {
            return false
        }
        return run([programs.unmount, directory], directory + ".log")
    }()
    #else
    static let canMount = false
    #endif

    private static func run(_ arguments: [String], _ prints: String) -> Bool {
        defer { for ending in [".out", ".err"] { unlink(prints + ending) } }
        let child = try? ChildProcess(
            arguments, environment: ProcessInfo.processInfo.environment, input: .nothing, prints: prints)
        return child?.finish(limit: 30).succeeded == true
    }

    private let home: Home
    private var isMounted = false
    private var filler: String { "\(home.data)/filler" }
    /// What stands before a command where a limit has to do.
    private(set) var prefix: [String] = []

    init(_ round: Round) throws {
        home = round.home
        guard Self.canMount else { return }
        let aside = "\(home.path)/aside"
        try FileManager.default.moveItem(atPath: home.data, toPath: aside)
        try FileManager.default.createDirectory(atPath: home.data, withIntermediateDirectories: false)
        let arguments = [Self.programs.mount, "-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs", home.data]
        guard Self.run(arguments, "\(home.scratch)/mount") else {
            throw Fixture.Failure(description: "no file system could be mounted at \(home.data)")
        }
        isMounted = true
        for name in try FileManager.default.contentsOfDirectory(atPath: aside) {
            try FileManager.default.copyItem(atPath: "\(aside)/\(name)", toPath: "\(home.data)/\(name)")
        }
    }

    /// Fills it but for a random rest.
    ///
    /// - Returns: The bytes that are left.
    func fill(_ random: inout RandomSource) throws -> Int {
        let rest = random.oneIn(3) ? random.number(0...8) * 4_096 : random.number(0...150) * 4_096
        guard isMounted else {
            let size = try FileManager.default.attributesOfItem(atPath: home.database)[.size] as? Int ?? 0
            // In units of 512 bytes. Without the trap the signal would end the tool; what is written then fails.
            let blocks = (size + rest) / 512
            prefix = ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" \"$@\""]
            return rest
        }
        var space = statvfs()
        guard statvfs(home.data, &space) == 0 else { return 0 }
        let free = Int(space.f_bavail) * Int(space.f_frsize)
        try Data(count: max(0, free - rest)).write(to: URL(filePath: filler))
        return rest
    }

    /// There is space again.
    func relieve() {
        unlink(filler)
        prefix = []
    }

    func remove() {
        guard isMounted else { return }
        isMounted = false
        if !Self.run([Self.programs.unmount, home.data], "\(home.scratch)/unmount") {
            _ = Self.run([Self.programs.unmount, "-l", home.data], "\(home.scratch)/unmount")
        }
    }
}

import Foundation

/// Something that does not belong where it lies, and the file that it may lead to.
struct Obstacle {
    private static let forms = [
        "a link", "a link", "a link to nothing", "a FIFO", "a FIFO", "a link to a FIFO", "a directory",
        "a directory with a file", "a socket", "a link to /dev/null", "a link to /dev/full", "a loop of links",
        "an empty file", "a file of other bytes",
    ]

    let form: String
    private let path: String
    /// A file of somebody that nothing may touch.
    private let victim: String
    private let nowhere: String
    private let fifo: String
    private let content: Data

    init(at path: String, in round: Round) throws {
        form = round.isPlanting ? "a link" : round.random.pick(Self.forms)
        self.path = path
        victim = "\(round.home.path)/victim"
        nowhere = "\(round.home.path)/nowhere"
        fifo = "\(round.home.path)/fifo"
        content = Data((0..<70_000).map { _ in UInt8(round.random.number(0...255)) })
        try content.write(to: URL(filePath: victim))
        chmod(victim, 0o640)
        // A lock file lies there from before.
        unlink(path)
        try put(round)
    }

    private func put(_ round: Round) throws {
        let manager = FileManager.default
        switch form {
        case "a link": try manager.createSymbolicLink(atPath: path, withDestinationPath: victim)
        case "a link to nothing": try manager.createSymbolicLink(atPath: path, withDestinationPath: nowhere)
        case "a FIFO": mkfifo(path, 0o600)
        case "a link to a FIFO":
            mkfifo(fifo, 0o600)
            try manager.createSymbolicLink(atPath: path, withDestinationPath: fifo)
        case "a directory": try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "a directory with a file":
            try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
            try content.write(to: URL(filePath: "\(path)/file"))
        case "a socket": try bindSocket()
        case "a loop of links": try manager.createSymbolicLink(atPath: path, withDestinationPath: path)
        case "an empty file": try Data().write(to: URL(filePath: path))
        case "a file of other bytes": try content.prefix(round.random.number(1...70_000)).write(to: URL(filePath: path))
        default:
            let device = form.split(separator: " ").last.map(String.init) ?? "/dev/null"
            try manager.createSymbolicLink(atPath: path, withDestinationPath: device)
        }
    }

    /// The path is longer than `sun_path` takes, so the socket is made under a short one and moved.
    private func bindSocket() throws {
        let short = "/tmp/torture-\(getpid()).socket"
        unlink(short)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, stream, 0)
        guard descriptor >= 0 else { throw Fixture.Failure(description: "no socket") }
        defer { close(descriptor) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard code == 0 else { throw Fixture.Failure(description: "no socket at \(short)") }
        if rename(short, path) == 0 { return }
        // Another file system: no socket there.
        unlink(short)
        mkfifo(path, 0o600)
    }

    /// What was changed that is none of the database's; nil when nothing was.
    func touched() -> String? {
        var status = stat()
        guard stat(victim, &status) == 0 else { return "the victim's name" }
        if FileManager.default.contents(atPath: victim) != content { return "the victim's content" }
        if status.st_mode & 0o7777 != 0o640 { return "the victim's mode" }
        if access(nowhere, F_OK) == 0 { return "the name that a link points to" }
        return nil
    }

    /// Changes the victim, as a program that follows a link does.
    func plantTouch() throws -> String {
        let file = try FileHandle(forWritingTo: URL(filePath: victim))
        try file.write(contentsOf: [0])
        try file.truncate(atOffset: 1)
        try file.close()
        return "victim's content"
    }

    /// Takes it away, if it is still what was put there.
    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        if isFile, !form.hasSuffix("file"), !form.hasSuffix("bytes") { return }
        if isFile, form.hasSuffix("bytes") || form.hasSuffix("file") {
            // Perhaps it was put to use: only what is as it was goes away.
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            guard bytes == content.prefix(bytes.count) else { return }
        }
        try? FileManager.default.removeItem(atPath: path)
    }
}

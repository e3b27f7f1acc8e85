#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The history of the shell, in a file that only its owner can access.
///
/// Lines that begin with a space, repeat the line before, or belong to a statement that may contain a key are not
/// stored.
package struct ShellHistory: Sendable {
    /// Oldest first.
    package private(set) var lines: [String] = []
    /// Nil for a history that is not stored.
    private let path: String?

    /// The maximum number of lines.
    private static let limit = 1_000

    /// - Parameter path: The file; nil for a history that ends with the session.
    package init(path: String?) {
        self.path = path
        guard let path else { return }
        // If the file is missing or cannot be read, there is no history, which is not an error.
        lines = Self.read(path).suffix(Self.limit).map(\.self)
    }

    /// The default path of the history: `strongroom/history` in the state directory.
    ///
    /// See "XDG Base Directory Specification" (specifications.freedesktop.org/basedir-spec).
    package static func defaultPath(_ environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/strongroom/history" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.local/state/strongroom/history"
    }

    /// Adds the lines of a statement, unless it may contain a key.
    package mutating func add(_ lines: [String]) {
        guard !Self.mayHoldKey(lines.joined(separator: "\n")) else { return }
        for line in lines { keep(line) }
    }

    /// Adds a statement of one line.
    package mutating func add(_ line: String) { add([line]) }

    private mutating func keep(_ line: String) {
        let isBlank = line.allSatisfy(\.isWhitespace)
        guard !isBlank, line.first != " ", lines.last != line, !line.contains(where: \.isNewline) else { return }
        lines.append(line)
        if lines.count > 2 * Self.limit {
            lines.removeFirst(lines.count - Self.limit)
        }
        guard let path else { return }
        Self.append(line + "\n", to: path)
    }

    /// Whether a statement may contain a key, as `PRAGMA key = …`, `PRAGMA hexrekey` and `ATTACH … KEY …` do, or the
    /// rest of a cancelled one.
    private static func mayHoldKey(_ statement: String) -> Bool {
        let words = statement.uppercased().split { !$0.isLetter && $0 != "_" }
        if words.first?.hasSuffix("KEY") == true { return true }
        if words.contains("PRAGMA"), words.contains(where: { $0.hasSuffix("KEY") }) { return true }
        return words.contains("ATTACH") && words.contains("KEY")
    }

    // MARK: The file

    private static func read(_ path: String) -> [String] {
        var status = stat()
        // Opening a FIFO would block, and a link may refer to one.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
        guard let source = try? ByteSource.file(path) else { return [] }
        var bytes: [UInt8] = []
        while let portion = try? source.next(), !portion.isEmpty { bytes += portion }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        guard lines.count > 2 * limit else { return lines }
        // Rewritten occasionally, so that the file does not grow without limit.
        let kept = Array(lines.suffix(limit))
        if unlink(path) == 0 { append(kept.map { $0 + "\n" }.joined(), to: path) }
        return kept
    }

    private static func append(_ text: String, to path: String) {
        makeDirectory(of: path)
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        // The file may have been created with other permissions or changed by the umask.
        guard fchmod(descriptor, 0o600) == 0 else { return }
        _ = DescriptorWriter(descriptor: descriptor).write(text)
    }

    private static func makeDirectory(of path: String) {
        var partial = ""
        for part in path.split(separator: "/").dropLast() {
            partial += "/" + part
            mkdir(partial, 0o700)
        }
    }
}

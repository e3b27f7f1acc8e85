#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What was typed into the shell, kept in a file for its owner alone.
///
/// A line that begins with a space is not kept, nor one that repeats the one before it, nor one of a statement that may
/// hold a key.
package struct ShellHistory: Sendable {
    /// Oldest first.
    package private(set) var lines: [String] = []
    /// Nil for a history that is not kept.
    private let path: String?

    /// The lines that are kept.
    private static let limit = 1_000

    /// - Parameter path: The file; nil for a history that is forgotten with the session.
    package init(path: String?) {
        self.path = path
        guard let path else { return }
        // Without the file, and with one that cannot be read, there is no history, and that is no failure of the shell.
        lines = Self.read(path).suffix(Self.limit).map(\.self)
    }

    /// Where the history lies: `strongroom/history` in the directory for state.
    ///
    /// See "XDG Base Directory Specification" (specifications.freedesktop.org/basedir-spec).
    package static func defaultPath(_ environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/strongroom/history" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.local/state/strongroom/history"
    }

    /// Keeps the lines of a statement, all or, where it may hold a key, none.
    package mutating func add(_ lines: [String]) {
        guard !Self.mayHoldKey(lines.joined(separator: "\n")) else { return }
        for line in lines { keep(line) }
    }

    /// Keeps a statement of one line.
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

    /// Whether a statement may hold a key, as `PRAGMA key = …`, `PRAGMA hexrekey` and `ATTACH … KEY …` do, or the end
    /// of one whose beginning was given up.
    private static func mayHoldKey(_ statement: String) -> Bool {
        let words = statement.uppercased().split { !$0.isLetter && $0 != "_" }
        if words.first?.hasSuffix("KEY") == true { return true }
        if words.contains("PRAGMA"), words.contains(where: { $0.hasSuffix("KEY") }) { return true }
        return words.contains("ATTACH") && words.contains("KEY")
    }

    // MARK: The file

    private static func read(_ path: String) -> [String] {
        var status = stat()
        // A FIFO would be waited for, and a link may lead to one.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
        guard let source = try? ByteSource.file(path) else { return [] }
        var bytes: [UInt8] = []
        while let portion = try? source.next(), !portion.isEmpty { bytes += portion }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        guard lines.count > 2 * limit else { return lines }
        // Begun anew now and then, or it would grow for ever.
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
        // Whoever made it with other permissions, or the process's umask.
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

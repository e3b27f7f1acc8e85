import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What lies at a path that a command is to write to, by its first bytes.
struct ExistingFile {
    private let path: String
    /// In bytes; nil where no regular file lies.
    private let size: Int64?
    private let start: [UInt8]

    /// Looks at the file. A device or a pipe is not read.
    init(_ path: String) throws {
        self.path = path
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            (size, start) = (nil, [])
            return
        }
        size = Int64(status.st_size)
        var bytes: [UInt8] = []
        let source = try ByteSource.file(path)
        while bytes.count <= KeyChain.largestText, case let portion = try source.next(), !portion.isEmpty {
            bytes += portion
        }
        start = bytes
    }

    /// Throws where a file of text may not take the place of what is there.
    ///
    /// - Throws: ``CommandFailure`` with `notAFile` for a device and the like, with `notText` for a database and
    ///   whatever else is no text.
    func requireTextOrNothing() throws {
        guard let size else {
            guard access(path, F_OK) == 0 else { return }
            throw Self.notAFile(path)
        }
        guard size > 0 || hasDatabaseBeside else { return }
        guard !isDatabase, isText, !hasDatabaseBeside else {
            throw CommandFailure(
                "notText",
                "\"\(path)\" is a database, or another file that is no text, and is not replaced. Give another path.",
                .cannotCreate)
        }
    }

    /// Throws where a database may not take the place of what is there.
    ///
    /// - Throws: ``CommandFailure`` with `notAFile` for a device and the like, with `notADatabase` for what is none.
    func requireDatabaseOrNothing() throws {
        guard let size else {
            guard access(path, F_OK) == 0 else { return }
            throw Self.notAFile(path)
        }
        // An encrypted one is bytes without any form, in whole pages; a text has no byte 0.
        guard size == 0 || isDatabase || (!(isText && !start.contains(0)) && size.isMultiple(of: Self.smallestPage))
        else {
            throw CommandFailure(
                "notADatabase", "\"\(path)\" is no database, and is not replaced by one. Give another path.",
                .cannotCreate)
        }
    }

    /// The keys that the file may hold; nil for what is no text of keys.
    func keyChain() throws -> KeyChain? {
        guard let size, size > 0, size <= KeyChain.largestText, isText else { return nil }
        do {
            return try KeyChain(text: start, source: path)
        } catch is StrongroomError {
            return nil
        }
    }

    /// Whether there is a line with a random key, as `keys make` writes it.
    var hasRandomKeys: Bool {
        start.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).contains { line in
            line.count == 68 && line.starts(with: Array("raw:".utf8))
                && line.dropFirst(4).allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
    }

    static func notAFile(_ path: String) -> CommandFailure {
        CommandFailure(
            "notAFile", "\"\(path)\" is no regular file, and is not replaced. Give another path.", .cannotCreate)
    }

    private static let smallestPage: Int64 = 512

    private var isDatabase: Bool { start.starts(with: Array("SQLite format 3\0".utf8)) }

    private var hasDatabaseBeside: Bool {
        let name = FilePath.name(of: path)
        let beside = ["-wal", "-journal", ".keys"].map { path + $0 } + ["\(path.dropLast(name.count)).\(name).lock"]
        return beside.contains { access($0, F_OK) == 0 }
    }

    /// Whether the first bytes are UTF-8, the last character aside, which may be cut off.
    private var isText: Bool {
        (0..<4).contains { String(validating: start.dropLast($0), as: UTF8.self) != nil }
    }
}

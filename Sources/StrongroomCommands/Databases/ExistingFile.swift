import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The file at a path to which a command writes, by its first bytes.
struct ExistingFile {
    private let path: String
    /// In bytes; nil if there is no regular file.
    private let size: Int64?
    private let start: [UInt8]

    /// Examines the file. A device or a pipe is not read.
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

    /// Throws if a text file must not replace the existing file.
    ///
    /// - Throws: ``CommandFailure`` with `notAFile` for a device or the like, with `notText` for a database and any
    ///   other file that is not text.
    func requireTextOrNothing() throws {
        guard let size else {
            guard access(path, F_OK) == 0 else { return }
            throw Self.notAFile(path)
        }
        guard size > 0 || hasDatabaseBeside else { return }
        guard !isDatabase, isText, !hasDatabaseBeside else {
            throw CommandFailure(
                "notText",
                "\"\(path)\" is a database, or another file that is not text, and is not replaced. Use another path.",
                .cannotCreate)
        }
    }

    /// Throws if a database must not replace the existing file.
    ///
    /// - Throws: ``CommandFailure`` with `notAFile` for a device or the like, with `notADatabase` for a file that is
    ///   not a database.
    func requireDatabaseOrNothing() throws {
        guard let size else {
            guard access(path, F_OK) == 0 else { return }
            throw Self.notAFile(path)
        }
        // An encrypted database consists of random bytes in complete pages; a text contains no zero byte.
        guard size == 0 || isDatabase || (!(isText && !start.contains(0)) && size.isMultiple(of: Self.smallestPage))
        else {
            throw CommandFailure(
                "notADatabase", "\"\(path)\" is not a database, and is not replaced by one. Use another path.",
                .cannotCreate)
        }
    }

    /// The keys in the file; nil if it is not a key file.
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
            "notAFile", "\"\(path)\" is not a regular file, and is not replaced. Use another path.", .cannotCreate)
    }

    private static let smallestPage: Int64 = 512

    private var isDatabase: Bool { start.starts(with: FileSystem.plaintextHeader) }

    private var hasDatabaseBeside: Bool {
        let sideFiles = SideFiles(of: path)
        return (sideFiles.logs + sideFiles.envelopes.prefix(1) + [sideFiles.lock]).contains { access($0, F_OK) == 0 }
    }

    /// Whether the first bytes are valid UTF-8, except for the last character, which may be truncated.
    private var isText: Bool {
        (0..<4).contains { String(validating: start.dropLast($0), as: UTF8.self) != nil }
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A path without symbolic links, no component of which anybody but root and the user of the process can replace.
///
/// The directories, and the symbolic links that were followed, belong to one of them. Nobody else can write a
/// directory, sticky or not, unless its mount is read-only.
struct TrustedPath {
    /// The error for a path that is not trusted; its subject precedes the reason.
    typealias Refusal = (_ reason: String) -> StrongroomError

    let path: String
    /// Whether one of the directories keeps all other users out.
    let isClosed: Bool

    private static let maximumLinks = 40

    init(of path: String, refusal: Refusal) throws {
        // The next component is the last one.
        var rest = Self.components(path)
        if path.utf8.first != UInt8(ascii: "/") { rest += Self.components(try FileSystem.resolve(".")) }
        var isClosed = try Self.keepsOthersOut("/", FileStatus.ofName("/"), refusal)
        var (reached, links) = ("/", 0)
        while let name = rest.popLast() {
            guard name != ".." else {
                reached = FileSystem.directory(of: reached)
                continue
            }
            let next = reached == "/" ? "/\(name)" : "\(reached)/\(name)"
            let status = try FileStatus.ofName(next)
            if let status, status.isSymbolicLink {
                links += 1
                guard links <= Self.maximumLinks else { throw FileSystem.failure(ELOOP, "cannot find", path) }
                try Self.requireOwner(of: status, "the symbolic link \"\(next)\"", refusal)
                let target = try FileSystem.target(ofLink: next)
                rest += Self.components(target)
                if target.utf8.first == UInt8(ascii: "/") { reached = "/" }
            } else {
                if !rest.isEmpty, try Self.keepsOthersOut(next, status, refusal) { isClosed = true }
                reached = next
            }
        }
        (self.path, self.isClosed) = (reached, isClosed)
    }

    /// The components of a path, in reverse order.
    private static func components(_ path: String) -> [String] {
        // By bytes: to Swift, a slash followed by a combining mark is another character.
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }.reversed()
    }

    /// Whether nobody but root and the user of the process can search a directory.
    ///
    /// - Throws: The refusal, if another user can replace its entries.
    private static func keepsOthersOut(_ path: String, _ status: FileStatus?, _ refusal: Refusal) throws -> Bool {
        guard let status else { throw FileSystem.failure(ENOENT, "cannot find", path) }
        guard status.isDirectory else { throw FileSystem.failure(ENOTDIR, "cannot use as a directory", path) }
        try requireOwner(of: status, "the directory \"\(path)\"", refusal)
        let others = try ForeignAccess(status, at: path, refusal)
        guard !others.mayWrite || FileSystem.isOnReadOnlyMount(path) else {
            throw refusal(
                """
                can be replaced by other users, who can write the directory "\(path)"; use another directory, or \
                run: chmod go-w '\(path)'
                """)
        }
        return !others.maySearch
    }

    private static func requireOwner(of status: FileStatus, _ what: String, _ refusal: Refusal) throws {
        guard ![0, geteuid()].contains(status.owner) else { return }
        throw refusal(
            "can be replaced by user \(status.owner), who owns \(what); let root own that, or use another path")
    }
}

/// What users other than root and the user of the process may do with a file, by its mode and its POSIX access list.
///
/// On Apple platforms, whose access lists have another form, by its mode alone.
struct ForeignAccess {
    /// Permissions of groups and of everybody, as three bits.
    private(set) var anyone: UInt32
    /// Permissions of users that the access list names.
    private(set) var named: UInt32 = 0

    private static let (read, write, search): (UInt32, UInt32, UInt32) = (4, 2, 1)

    var mayRead: Bool { (anyone | named) & Self.read != 0 }
    var namedMayRead: Bool { named & Self.read != 0 }
    var mayWrite: Bool { (anyone | named) & Self.write != 0 }
    var maySearch: Bool { (anyone | named) & Self.search != 0 }

    init(_ status: FileStatus, at path: String, _ refusal: TrustedPath.Refusal) throws {
        anyone = (status.permissions | status.permissions >> 3) & 7
        // With an access list, the mode has its mask in place of the group's permissions, so it grants nothing if the
        // mask is empty.
        guard status.permissions >> 3 & 7 != 0, let list = try FileAttributes.accessList(of: path) else { return }
        guard let entries = AccessListEntry.entries(of: list) else {
            throw refusal("has an access list that is not understood, on \"\(path)\"; run: setfacl -b '\(path)'")
        }
        anyone = status.permissions & 7
        let mask = entries.first { $0.tag == .mask }?.permissions ?? 7
        for entry in entries {
            switch entry.tag {
            case .user where ![0, geteuid()].contains(entry.id): named |= entry.permissions & mask
            case .owningGroup, .group: anyone |= entry.permissions & mask
            case .owner, .user, .mask, .everybody: break
            }
        }
    }
}

/// An entry of a POSIX access list, in the form of the attribute `system.posix_acl_access`; see acl(5).
struct AccessListEntry {
    enum Tag: UInt16 {
        case owner = 0x01, user = 0x02, owningGroup = 0x04, group = 0x08, mask = 0x10, everybody = 0x20
    }

    let tag: Tag
    let permissions: UInt32
    /// The user's or group's number.
    let id: UInt32

    private static let version: UInt32 = 2
    private static let (headSize, size) = (4, 8)

    /// The entries of a list; nil if it has another form.
    static func entries(of list: [UInt8]) -> [AccessListEntry]? {
        guard list.count >= headSize, (list.count - headSize).isMultiple(of: size) else { return nil }
        return list.withUnsafeBytes { bytes in
            func number<T: FixedWidthInteger>(at offset: Int, _: T.Type) -> T {
                T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
            }
            guard number(at: 0, UInt32.self) == version else { return nil }
            var entries: [AccessListEntry] = []
            for offset in stride(from: headSize, to: list.count, by: size) {
                guard let tag = Tag(rawValue: number(at: offset, UInt16.self)) else { return nil }
                entries.append(
                    AccessListEntry(
                        tag: tag, permissions: UInt32(number(at: offset + 2, UInt16.self)) & 7,
                        id: number(at: offset + 4, UInt32.self)))
            }
            return entries
        }
    }
}

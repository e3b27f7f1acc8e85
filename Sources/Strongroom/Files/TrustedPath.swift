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
/// directory, sticky or not, unless it is on a file system of its own that is mounted read-only.
struct TrustedPath {
    /// The error for a path that is not trusted; its subject precedes the reason.
    typealias Refusal = (_ reason: String) -> StrongroomError

    let path: String
    /// Whether one of the directories that contain the file keeps all other users out.
    let isClosed: Bool

    private static let maximumLinks = 40

    init(of path: String, refusal: Refusal) throws {
        // The next component is the last one.
        var rest = Self.components(path)
        if path.utf8.first != UInt8(ascii: "/") { rest += Self.components(try FileSystem.resolve(".")) }
        // What a link or ".." has left again does not protect the file.
        var closed: [String] = try Self.keepsOthersOut("/", FileStatus.ofName("/"), refusal) ? ["/"] : []
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
                if !rest.isEmpty, try Self.keepsOthersOut(next, status, refusal) { closed.append(next) }
                reached = next
            }
        }
        self.path = reached
        isClosed = closed.contains { $0 == "/" || reached.utf8.starts(with: "\($0)/".utf8) }
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
        guard !others.mayWrite || FileSystem.isOnOwnReadOnlyMount(path) else {
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

    var mayRead: Bool { (anyone | named) & 4 != 0 }
    var namedMayRead: Bool { named & 4 != 0 }
    var mayWrite: Bool { (anyone | named) & 2 != 0 }
    var maySearch: Bool { (anyone | named) & 1 != 0 }

    init(_ status: FileStatus, at path: String, _ refusal: TrustedPath.Refusal) throws {
        // With an access list, the group's bits of the mode are its mask: without them it grants nothing.
        let list = try status.permissions & 0o070 == 0 ? nil : FileAttributes.accessList(of: path)
        guard let access = ForeignAccess(status.permissions, list: list) else {
            throw refusal("has an access list that is not understood, on \"\(path)\"; run: setfacl -b '\(path)'")
        }
        self = access
    }

    private enum Tag: UInt8 {
        case owner = 1, user = 2, owningGroup = 4, group = 8, mask = 16, everybody = 32
    }

    /// - Parameter list: The attribute `system.posix_acl_access`: version 2, then entries of a tag, permissions and a
    ///   user's or group's number, little-endian; see acl(5). Nil is returned for another form.
    init?(_ permissions: UInt32, list: [UInt8]?) {
        anyone = (permissions | permissions >> 3) & 7
        guard let list else { return }
        guard list.starts(with: [2, 0, 0, 0]), list.count % 8 == 4 else { return nil }
        anyone = permissions & 7
        let entries = stride(from: 4, to: list.count, by: 8).map { list[$0..<$0 + 8] }
        let mask = entries.first { $0.first == Tag.mask.rawValue }.map { $0[$0.startIndex + 2] } ?? 7
        for entry in entries {
            let granted = UInt32(entry[entry.startIndex + 2] & mask)
            let id = entry.suffix(4).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
            switch Tag(rawValue: entry[entry.startIndex]) {
            case .user where ![0, geteuid()].contains(id): named |= granted
            case .owningGroup, .group: anyone |= granted
            case .owner, .user, .mask, .everybody: break
            case nil: return nil
            }
        }
    }
}

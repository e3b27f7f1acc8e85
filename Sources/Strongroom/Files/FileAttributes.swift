#if os(Linux)
import CPlatform
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The metadata of a file: owner, permissions, access control list and extended attributes.
///
/// The attributes of the model are read by path: closing a descriptor on it would drop the engine's locks. They are
/// applied to a new file that no other process has open.
struct FileAttributes {
    /// An attribute of the file that could not be applied to its copy.
    struct NotKept: Error {
        let error: StrongroomError
    }

    private let model: FileStatus
    private let path: String
    private let attributes: [(name: String, value: [UInt8])]
    /// The names of attributes that this process may not read.
    private let unreadable: [String]

    init(of path: String) throws {
        guard let status = try FileStatus.at(path) else {
            throw FileSystem.failure(ENOENT, "cannot find", path)
        }
        self.path = path
        model = status
        var attributes: [(String, [UInt8])] = []
        var unreadable: [String] = []
        for name in try Self.names(path) where !Self.ofTheContent.contains(name) {
            if let value = try Self.value(name, path) {
                attributes.append((name, value))
            } else {
                unreadable.append(name)
            }
        }
        (self.attributes, self.unreadable) = (attributes, unreadable)
    }

    /// Signatures of the content, which are not valid for the copy.
    private static let ofTheContent: Set = ["security.ima", "security.evm"]
    static let accessList = "system.posix_acl_access"

    /// Copies the attributes of a file to another file.
    ///
    /// - Returns: The names of the extended attributes that could not be copied.
    static func copy(of path: String, to copy: PlainFile) throws -> [String] {
        do {
            return try FileAttributes(of: path).apply(to: copy)
        } catch let error as NotKept {
            throw error.error
        }
    }

    /// Whether a file has an access control list. Its group permissions are then the list's mask.
    static func hasAccessList(_ path: String) throws -> Bool {
        #if canImport(Darwin)
        return false
        #else
        return try names(path).contains(accessList)
        #endif
    }

    /// The access control list of a file, as the kernel has it; nil if it has none, and on Apple platforms.
    static func accessList(of path: String) throws -> [UInt8]? {
        try hasAccessList(path) ? try value(accessList, path) : nil
    }

    /// Applies the attributes to another file.
    ///
    /// - Returns: The names of the extended attributes that could not be applied.
    /// - Throws: ``NotKept`` if the owner, the permissions or the access control list cannot be applied: users without
    ///   access to the model could then read the copy, or users with access could not.
    func apply(to copy: PlainFile) throws -> [String] {
        let descriptor = copy.descriptor
        var lost = unreadable
        // `user.` attributes are set while the current user can still write the file; the others after the owner, since
        // a change of owner clears some of them.
        let own = attributes.filter { $0.name.hasPrefix("user.") }
        let others = attributes.filter { !$0.name.hasPrefix("user.") && $0.name != Self.accessList }
        for attribute in own where !Self.set(attribute, descriptor) { lost.append(attribute.name) }
        let status = try copy.status()
        if status.owner != model.owner || status.group != model.group {
            guard fchown(descriptor, model.owner, model.group) == 0 else { throw notKept("owner", errno) }
        }
        for attribute in others where !Self.set(attribute, descriptor) {
            // The access control list of a network file system.
            guard !attribute.name.hasPrefix("system.") else { throw notKept("access list", errno) }
            lost.append(attribute.name)
        }
        try setAccessList(descriptor)
        // With an access control list, the group permissions are its mask.
        guard fchmod(descriptor, mode_t(model.permissions)) == 0 else { throw notKept("permissions", errno) }
        try setFlags(descriptor)
        return lost.sorted()
    }

    private func notKept(_ what: String, _ number: Int32) -> NotKept {
        let reason = String(cString: strerror(number))
        return NotKept(
            error: StrongroomError(
                .permissionDenied,
                """
                The \(what) of "\(path)" could not be applied to the file that replaces it (\(reason)): users without \
                access might read it, or users with access might not. Nothing was replaced. Run this as root or as \
                the file's owner.
                """))
    }
}

#if canImport(Darwin)
extension FileAttributes {
    private static func names(_ path: String) throws -> [String] {
        try list(path) { listxattr(path, $0, $1, XATTR_NOFOLLOW) }
    }

    private static func value(_ name: String, _ path: String) throws -> [UInt8]? {
        try bytes { getxattr(path, name, $0, $1, 0, XATTR_NOFOLLOW) }
    }

    private static func set(_ attribute: (name: String, value: [UInt8]), _ descriptor: Int32) -> Bool {
        fsetxattr(descriptor, attribute.name, attribute.value, attribute.value.count, 0, 0) == 0
    }

    private func setAccessList(_ descriptor: Int32) throws {
        guard let list = acl_get_link_np(path, ACL_TYPE_EXTENDED) ?? acl_init(0) else { return }
        defer { acl_free(UnsafeMutableRawPointer(list)) }
        guard acl_set_fd_np(descriptor, list, ACL_TYPE_EXTENDED) == 0 || errno == ENOTSUP else {
            throw notKept("access list", errno)
        }
    }

    private func setFlags(_ descriptor: Int32) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw FileSystem.failure(errno, "cannot read the status of", path) }
        guard status.st_flags == 0 || fchflags(descriptor, status.st_flags) == 0 else { throw notKept("flags", errno) }
        // The data protection class is not an extended attribute.
        var wanted = attrlist()
        wanted.bitmapcount = UInt16(ATTR_BIT_MAP_COUNT)
        wanted.commonattr = attrgroup_t(bitPattern: Int32(truncatingIfNeeded: ATTR_CMN_DATA_PROTECT_FLAGS))
        var found = (length: UInt32(0), value: UInt32(0))
        guard getattrlist(path, &wanted, &found, MemoryLayout.size(ofValue: found), 0) == 0, found.value != 0 else {
            return
        }
        guard fcntl(descriptor, F_SETPROTECTIONCLASS, Int32(bitPattern: found.value)) == 0 || errno == ENOTSUP else {
            throw notKept("data protection", errno)
        }
    }
}
#else
extension FileAttributes {
    private static func names(_ path: String) throws -> [String] {
        try list(path) { llistxattr(path, $0, $1) }
    }

    private static func value(_ name: String, _ path: String) throws -> [UInt8]? {
        let value = try bytes { lgetxattr(path, name, $0, $1) }
        guard value == nil, name == accessList else { return value }
        throw FileSystem.failure(errno, "cannot read the access list of", path)
    }

    private static func set(_ attribute: (name: String, value: [UInt8]), _ descriptor: Int32) -> Bool {
        fsetxattr(descriptor, attribute.name, attribute.value, attribute.value.count, 0) == 0
    }

    private func setAccessList(_ descriptor: Int32) throws {
        guard let list = attributes.first(where: { $0.name == Self.accessList }) else {
            // A default list inherited from the directory would grant access to others as soon as the mask is set.
            let isGone = fremovexattr(descriptor, Self.accessList) == 0 || [ENODATA, ENOTSUP].contains(errno)
            guard isGone else { throw notKept("access list", errno) }
            return
        }
        guard Self.set(list, descriptor) else { throw notKept("access list", errno) }
    }

    /// File flags on Linux (`chattr`) are not copied: they control how the file system stores the file, or forbid
    /// replacing it.
    private func setFlags(_ descriptor: Int32) throws {}
}
#endif

extension FileAttributes {
    /// The names of a file's extended attributes; empty if the file system does not support them.
    private static func list(_ path: String, _ read: (UnsafeMutablePointer<CChar>?, Int) -> Int) throws -> [String] {
        while true {
            let size = read(nil, 0)
            if size == 0 || size < 0 && errno == ENOTSUP { return [] }
            guard size > 0 else { throw FileSystem.failure(errno, "cannot read the attributes of", path) }
            var names = [CChar](repeating: 0, count: size)
            let length = read(&names, size)
            // Attributes were added between the two calls.
            if length < 0, errno == ERANGE { continue }
            guard length >= 0 else { throw FileSystem.failure(errno, "cannot read the attributes of", path) }
            return names.prefix(length).split(separator: 0).map {
                String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        }
    }

    /// The value of an attribute; nil if it cannot be read or no longer exists.
    private static func bytes(_ read: (UnsafeMutablePointer<UInt8>?, Int) -> Int) throws -> [UInt8]? {
        while true {
            let size = read(nil, 0)
            guard size > 0 else { return size == 0 ? [] : nil }
            var value = [UInt8](repeating: 0, count: size)
            let length = read(&value, size)
            if length < 0, errno == ERANGE { continue }
            return length < 0 ? nil : Array(value.prefix(length))
        }
    }
}

#if os(Linux)
import CDiscovery
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What belongs to a file besides its content: owner, permissions, access list and extended attributes.
///
/// The model is asked by its path, since closing a descriptor of its own would drop the engine's locks on it; what gets
/// its attributes is a new file that nobody has open.
struct FileAttributes {
    /// What of a file could not be given to its copy.
    struct NotKept: Error {
        let error: StrongroomError
    }

    private let model: FileStatus
    private let path: String
    private let attributes: [(name: String, value: [UInt8])]
    /// Those that may not be read.
    private let unreadable: [String]

    /// Reads the attributes of a file.
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

    /// Signatures of the content, which the copy's is not.
    private static let ofTheContent: Set = ["security.ima", "security.evm"]
    /// What says who may read and write.
    static let accessList = "system.posix_acl_access"

    /// Gives a file's attributes to another one.
    ///
    /// - Parameters:
    ///   - path: The model.
    ///   - copy: A new file of this user's.
    /// - Returns: The extended attributes that could not be given to it.
    /// - Throws: ``StrongroomError`` with `permissionDenied` as ``apply(to:)``, or the file system's failure.
    static func copy(of path: String, to copy: PlainFile) throws -> [String] {
        do {
            return try FileAttributes(of: path).apply(to: copy)
        } catch let error as NotKept {
            throw error.error
        }
    }

    /// Whether a file has an access list; its permissions for the group are then those of the list's mask.
    static func hasAccessList(_ path: String) throws -> Bool {
        #if canImport(Darwin)
        return false
        #else
        return try names(path).contains(accessList)
        #endif
    }

    /// Gives them to another file.
    ///
    /// - Parameter copy: A new file of this user's.
    /// - Returns: The extended attributes that could not be given to it.
    /// - Throws: ``NotKept`` when its owner, its permissions or its access list cannot be given to it: others could
    ///   read it who may not read the model, or not who may.
    func apply(to copy: PlainFile) throws -> [String] {
        let descriptor = copy.descriptor
        var lost = unreadable
        // First, as long as it may be written by this user; those of others' after the owner, a change of which takes
        // some away.
        let own = attributes.filter { $0.name.hasPrefix("user.") }
        let others = attributes.filter { !$0.name.hasPrefix("user.") && $0.name != Self.accessList }
        for attribute in own where !Self.set(attribute, descriptor) { lost.append(attribute.name) }
        let status = try copy.status()
        if status.owner != model.owner || status.group != model.group {
            guard fchown(descriptor, model.owner, model.group) == 0 else { throw notKept("owner", errno) }
        }
        for attribute in others where !Self.set(attribute, descriptor) {
            // A network file system's own access list.
            guard !attribute.name.hasPrefix("system.") else { throw notKept("access list", errno) }
            lost.append(attribute.name)
        }
        try setAccessList(descriptor)
        // With an access list the group's permissions are those of its mask.
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
                A new file in the place of "\(path)" could not get its \(what) (\(reason)): others might read it who \
                may not, or not who may. Nothing was replaced. Let root or the file's owner do it.
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
        guard lstat(path, &status) == 0 else { throw FileSystem.failure(errno, "cannot look at", path) }
        guard status.st_flags == 0 || fchflags(descriptor, status.st_flags) == 0 else { throw notKept("flags", errno) }
        // The class of data protection, which is no extended attribute.
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
            // One that the directory gives to new files would let others read it, as soon as the mask is set.
            let isGone = fremovexattr(descriptor, Self.accessList) == 0 || [ENODATA, ENOTSUP].contains(errno)
            guard isGone else { throw notKept("access list", errno) }
            return
        }
        guard Self.set(list, descriptor) else { throw notKept("access list", errno) }
    }

    /// Those of Linux's file systems (`chattr`) are not kept: they say how it stores a file, or that nobody may replace
    /// it.
    private func setFlags(_ descriptor: Int32) throws {}
}
#endif

extension FileAttributes {
    /// The names of a file's extended attributes; none where the file system knows none.
    private static func list(_ path: String, _ read: (UnsafeMutablePointer<CChar>?, Int) -> Int) throws -> [String] {
        while true {
            let size = read(nil, 0)
            if size == 0 || size < 0 && errno == ENOTSUP { return [] }
            guard size > 0 else { throw FileSystem.failure(errno, "cannot read the attributes of", path) }
            var names = [CChar](repeating: 0, count: size)
            let length = read(&names, size)
            // It has got more meanwhile.
            if length < 0, errno == ERANGE { continue }
            guard length >= 0 else { throw FileSystem.failure(errno, "cannot read the attributes of", path) }
            return names.prefix(length).split(separator: 0).map {
                String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        }
    }

    /// An attribute's value; nil when it may not be read, or is gone.
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

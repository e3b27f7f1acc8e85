#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension KeyFile {
    private static let credentialsVariable = "CREDENTIALS_DIRECTORY"

    /// Refers to a credential of systemd, the file `$CREDENTIALS_DIRECTORY/NAME`, with ``Access/mounted``; reads only
    /// the variable yet.
    ///
    /// ```swift
    /// func keyChain(for database: DatabaseName) throws -> KeyChain {
    ///     try KeyFile(credential: "keys").keyChain()
    /// }
    /// ```
    ///
    /// The unit has `LoadCredential=keys:/etc/inventory/keys`, or `LoadCredentialEncrypted=`; see systemd.exec(5).
    ///
    /// - Parameter name: The credential's name, without a slash.
    /// - Throws: ``StrongroomError`` with `keySource` if the variable is not set, as outside a unit with credentials,
    ///   or the name is not one of a file.
    public init(credential name: String) throws {
        guard !["", ".", ".."].contains(name), !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) else {
            throw StrongroomError(
                .keySource,
                """
                "\(name)" is no name of a credential; give the one in the unit's `LoadCredential=`, or a path with \
                `KeyFile(_:access:)`.
                """)
        }
        // The caller of a setuid program chooses its environment.
        let isOwn = getuid() == geteuid() && getgid() == getegid()
        guard isOwn, let value = getenv(Self.credentialsVariable), value.pointee != 0 else {
            throw StrongroomError(
                .keySource,
                """
                There is no credential "\(name)", since the variable \(Self.credentialsVariable) is not set. Start the \
                program as a unit of systemd with `LoadCredential=\(name):PATH`, or set the variable to the directory \
                in which another platform mounts secrets.
                """)
        }
        self.init("\(String(cString: value))/\(name)", access: .mounted)
    }

    /// How often a file is opened that the platform replaces at that moment.
    private static let attempts = 5

    /// Opens the file if it is as safe as ``Access/mounted`` requires.
    func mounted() throws -> PlainFile {
        for _ in 1..<Self.attempts {
            do {
                return try mountedNow()
            } catch let error as StrongroomError where error.code == .fileMissing {
                // A link may have referred to a directory that has been removed since.
            }
        }
        try requireRegular(FileStatus.at(path))
        return try mountedNow()
    }

    private func mountedNow() throws -> PlainFile {
        let way = try TrustedPath(of: path, refusal: refusal)
        try requireRegular(FileStatus.ofName(way.path))
        let file = try opened(way.path)
        let status = try file.status()
        try checkOwner(status)
        let others = try ForeignAccess(status, at: way.path, refusal)
        guard !others.mayWrite else {
            throw refusal("can be written by other users. \(advice(or: "Run: chmod go-w '\(path)'"))")
        }
        guard others.mayRead, !way.isClosed else { return file }
        guard !others.namedMayRead else {
            throw refusal(
                "has an access list that lets other users read it. \(advice(or: "Run: setfacl -b '\(path)'"))")
        }
        guard FileSystem.isOnOwnReadOnlyMount(way.path) else {
            throw refusal(
                """
                can be read by other users, and is not on a file system of its own that is mounted read-only. \
                \(advice(or: "Run: chmod go= '\(path)'"))
                """)
        }
        return file
    }

    /// Reports that the file has been replaced or written, as when Kubernetes swaps the link to a secret.
    ///
    /// ```swift
    /// for await _ in try KeyFile(credential: "keys").changes() {
    ///     do { try await store.rotate() } catch { logger.error("\(error)") }
    /// }
    /// ```
    ///
    /// The file at the end of all symbolic links is compared with the one at the last comparison, from this call on.
    /// Its keys are not read, and several changes between two comparisons are one. A missing file is reported when it
    /// is back. The sequence ends when its task is cancelled.
    ///
    /// - Parameter interval: The time between two comparisons.
    /// - Returns: An element for each change, for one iteration.
    public func changes(every interval: Duration = .seconds(10)) -> AsyncStream<Void> {
        let last = Locked(try? FileStatus.at(path))
        return AsyncStream {
            while (try? await Task.sleep(for: interval)) != nil {
                guard let now = try? FileStatus.at(path) else { continue }
                let isChanged = last.withLock { last in
                    defer { last = now }
                    return last != now
                }
                if isChanged { return () }
            }
            return nil
        }
    }
}

extension KeyFile {
    /// What to set on the platform that mounts the file, which cannot be changed there; nil if nothing shows that one
    /// does.
    static func advice(onMountOf path: String) -> String? {
        let directory = FileSystem.directory(of: path)
        if FileSystem.isSymbolicLink("\(directory)/..data") {
            return """
                For a secret of Kubernetes, set `defaultMode: 0400` of its volume, and `fsGroup` of the pod unless the \
                program runs as root; then read it with `access: .mounted` (--credential in the tool)
                """
        }
        if path.hasPrefix("/run/credentials/") {
            return """
                For a credential of systemd, set `LoadCredential=` in the unit of this program, and read it with \
                `KeyFile(credential:)` (--credential in the tool)
                """
        }
        let isOfDocker = ["/run/secrets", "/var/run/secrets"].contains(directory)
        guard isOfDocker || FileSystem.isOnOwnReadOnlyMount(path) else { return nil }
        return """
            \(isOfDocker ? "For a secret of Docker" : "On this read-only mount"), let the platform set the user of \
            this program (uid, gid) and mode 0400, or read it with `access: .mounted` (--credential in the tool)
            """
    }
}

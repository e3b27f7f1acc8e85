/// A copy of a damaged file that the engine can read, so that the file itself is never written: its WAL is
/// checkpointed, and its missing end is filled.
struct SalvageSource {
    let file: DatabaseFile
    let key: DerivedKey
    let cipher: PageCipher
    private(set) var damaged: [Int] = []
    /// Its damaged pages, for the connections that read it.
    private(set) var refusal: RefusedPages?

    /// Makes the copy.
    ///
    /// - Parameters:
    ///   - keys: The damaged file, which must not be open anywhere, and the keys that may open it.
    ///   - path: The path of the copy.
    ///   - checkCancellation: Throws if the work has been cancelled.
    init(of keys: DatabaseKeys, at path: String, checkCancellation: () throws -> Void) throws {
        let original = keys.file
        let before = try Self.states(of: original)
        // The error for the copy would name the copy's WAL.
        if let scan = try original.scanLog(PlainFile(original.path)), let damage = scan.damage {
            throw original.damagedLog(damage, kept: scan.soundCommits)
        }
        (key, cipher) = try Self.findKey(keys)
        file = DatabaseFile(
            path: path, name: original.name, busyTimeout: original.busyTimeout, log: nil,
            functions: original.functions)
        try remove()
        do {
            for (source, target) in zip(Self.files(of: original), Self.files(of: file)) {
                try Self.copy(source, target, checkCancellation: checkCancellation)
            }
            guard try Self.states(of: original) == before else {
                throw StrongroomError(
                    .locked,
                    """
                    The file "\(original.path)" was written while it was copied. Close it everywhere, then try again.
                    """,
                    database: original.name)
            }
            try checkpointLog()
            try findDamagedPages(checkCancellation: checkCancellation)
        } catch {
            try remove()
            throw error
        }
    }

    /// Removes the copy.
    func remove() throws {
        try FileSystem.remove(file.path)
        try file.sideFiles.removeEngineFiles()
    }

    private static func files(of file: DatabaseFile) -> [String] { [file.path] + file.sideFiles.logs }

    private static func states(of file: DatabaseFile) throws -> [FileStatus?] {
        try files(of: file).map(FileStatus.at)
    }

    private static func findKey(_ keys: DatabaseKeys) throws -> (DerivedKey, PageCipher) {
        let original = keys.file
        let salt = try FileSystem.firstBytes(of: original.path, CipherSettings.saltLength)
        if let found = try keys.authentic(in: PlainFile(original.path), salt: salt) {
            return (found.derivedKey, found.cipher)
        }
        throw StrongroomError(
            .wrongKey,
            """
            No key of the chain authenticates any of the first pages of "\(original.path)". Add the key that the file \
            was made with; if the chain is right, its first 16 bytes are damaged, which every page needs: put those of \
            a backup of the same file into a copy of it, and try again with that.
            """,
            database: original.name)
    }

    private static func copy(_ source: String, _ target: String, checkCancellation: () throws -> Void) throws {
        guard try FileStatus.at(source) != nil else { return }
        try PlainFile.copy(source, to: PlainFile(making: target), checkCancellation: checkCancellation)
    }

    /// Lets the engine roll back a rollback journal or checkpoint a WAL, as it would for the file itself.
    private func checkpointLog() throws {
        guard try file.hasLog() else { return }
        do {
            let connection = try file.connect(.existing, key: key)
            defer { connection.close() }
            try connection.readingKnownSchema { try connection.proveKey() }
            _ = try connection.checkpoint()
        } catch let error as StrongroomError where error.isDamage {
            throw Self.schemaDamaged(file.name, error)
        }
        try file.sideFiles.removeEngineFiles()
    }

    /// Finds the damaged pages, and fills the missing end: the engine opens no file that is shorter than its first page
    /// says.
    private mutating func findDamagedPages(checkCancellation: () throws -> Void) throws {
        let copy = try PlainFile(file.path, isWritable: true, followsLinks: false)
        let verifier = try PageVerifier(closed: copy, cipher)
        damaged = try verifier.damagedPages { _ in try checkCancellation() }
        guard damaged.first != 1 else { throw Self.schemaDamaged(file.name, nil) }
        refusal = verifier.contents.refusal(of: damaged)
        let length = Int64(verifier.count) * Int64(cipher.layout.pageSize)
        guard try copy.size() < length else { return }
        try withUnsafeBytes(of: UInt8(0)) { try copy.write($0, at: length - 1) }
    }

    /// The error for a file whose schema cannot be read.
    static func schemaDamaged(_ database: String, _ cause: StrongroomError?) -> StrongroomError {
        let what = cause == nil ? "The first page is damaged" : "A page of the schema is damaged"
        let pages = cause == nil ? "its first page" : "its pages of the schema, which `doctor` names,"
        return StrongroomError(
            .damaged,
            """
            \(what), which contains the root page of every table, so nothing can be copied; the key is right. Restore \
            a backup. An older copy of the same file, made with the same key, may still have what is damaged: put \
            \(pages) into a copy of the damaged file, and try again with that.
            """,
            database: database, resultCode: cause?.resultCode)
    }
}

extension StrongroomError {
    /// Whether the engine has found content in the file that it cannot use.
    var isDamage: Bool {
        [.damaged, .notADatabase, .transactionEnded, .sql].contains(code)
    }
}

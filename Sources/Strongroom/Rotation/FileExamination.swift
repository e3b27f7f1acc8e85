/// Finds out what a file is, from its own bytes and without writing anything.
///
/// It is read through a connection that ignores its log and takes no lock, so that it may be open here and elsewhere, and be written.
struct FileExamination {
    let file: DatabaseFile
    /// Nil when there are none.
    let keys: Keys?
    let progress: (VerificationProgress) -> Void
    /// Throws when nobody wants it any more.
    let goOn: () throws -> Void

    /// What is known of how the file is encrypted, and of its schema.
    struct Keys {
        let chain: KeyChain
        let ciphers: [CipherSettings]
        let protection: KeyProtection
        let migrator: Migrator?
    }

    /// Times that a page that seems damaged is read again while others may be writing the file.
    private static let readings = 3

    /// - Throws: `CancellationError`; ``StrongroomError`` when the file cannot be read for another reason than those a diagnosis tells.
    func run() throws -> FileDiagnosis {
        var diagnosis = try FileDiagnosis(surroundingsOf: file)
        do {
            let status = try FileStatus.at(file.path)
            diagnosis.bytes = status?.isRegularFile == true ? status?.size ?? 0 : 0
            switch try FileContent.of(file.path, beginning: file.salt) {
            case .absent: diagnosis.finding = .absent
            case .plaintext: try examinePlaintext(&diagnosis)
            case .encrypted(let salt, _): try examine(salt, &diagnosis)
            }
        } catch let error as StrongroomError {
            guard let finding = FileDiagnosis.Finding(error.code) else { throw error }
            (diagnosis.finding, diagnosis.reason) = (finding, error.message)
        }
        return diagnosis
    }

    private func examinePlaintext(_ diagnosis: inout FileDiagnosis) throws {
        diagnosis.finding = .plaintext
        let connection = try file.connect(.untouched, key: nil)
        defer { connection.close() }
        readVersion(connection, &diagnosis)
    }

    private func examine(_ salt: [UInt8], _ diagnosis: inout FileDiagnosis) throws {
        guard let keys, !keys.chain.isPlaintext else {
            diagnosis.finding = .keyless
            return
        }
        let fileKeys = try FileKeys(file, keys.chain, keys.ciphers, keys.protection, salt: salt)
        let found = try withBytes(key: nil) { bytes, _ in try fileKeys.authentic(in: bytes, salt: salt) }
        guard let found else {
            let isEnvelopeGone = keys.protection == .envelope && !diagnosis.hasEnvelope
            diagnosis.finding = isEnvelopeGone ? .envelope : .wrongKey
            return
        }
        diagnosis.key = found.place.map { KeyUse(place: $0, count: keys.chain.count) }
        diagnosis.settings = found.key.settings
        diagnosis.finding = .whole
        try withBytes(key: found.key) { bytes, connection in
            try examinePages(bytes, found.cipher, connection, &diagnosis)
            guard diagnosis.finding == .whole else { return }
            readVersion(connection, &diagnosis)
        }
    }

    private func withBytes<T>(key: DerivedKey?, _ work: (EngineFile, Connection) throws -> T) throws -> T {
        let connection = try file.connect(.untouched, key: key)
        defer { connection.close() }
        return try work(connection.databaseFile(), connection)
    }

    // MARK: Pages

    private func examinePages(
        _ bytes: EngineFile, _ cipher: PageCipher, _ connection: Connection, _ diagnosis: inout FileDiagnosis
    ) throws {
        let verifier = try PageVerifier(closed: bytes, cipher)
        let present = Int(try bytes.size() / Int64(cipher.layout.pageSize))
        var damaged = try verifier.damagedPages { done in
            try goOn()
            progress(VerificationProgress(step: .pages, pagesDone: done, pages: verifier.count))
        }
        diagnosis.pages = verifier.count
        // Pages at the end may be in the log alone.
        if !diagnosis.hasLog { diagnosis.missingPages = max(0, verifier.count - present) }
        damaged.removeAll { $0 > present }
        for _ in 1..<Self.readings where !damaged.isEmpty {
            // One that was being written while it was read.
            damaged = try damaged.filter { try verifier.contents.content(of: $0) == nil }
        }
        guard diagnosis.missingPages == 0, damaged.isEmpty else {
            diagnosis.finding = diagnosis.missingPages > 0 ? .truncated : .damaged
            let roots = (try? connection.schemaRoots()) ?? []
            diagnosis.damagedPages = try PageOwners(contents: verifier.contents, roots: roots).name(
                damaged, progress: goOn)
            return
        }
    }

    // MARK: Schema

    /// What cannot be read is left out: another process may be writing just now.
    private func readVersion(_ connection: Connection, _ diagnosis: inout FileDiagnosis) {
        diagnosis.version = try? VersionHistory(connection: connection).versions().last
        guard let migrator = keys?.migrator else { return }
        do {
            guard case .run(_, let steps) = try migrator.plan(for: connection) else { return }
            diagnosis.pendingVersions = migrator.migrations[steps].map(\.version)
        } catch let error as StrongroomError where error.code == .newerSchema {
            (diagnosis.finding, diagnosis.reason) = (.newerSchema, error.message)
        } catch {
            diagnosis.reason = (error as? StrongroomError)?.message
        }
    }
}

extension FileDiagnosis {
    /// What lies beside a file and who has it open.
    fileprivate init(surroundingsOf file: DatabaseFile) throws {
        self.init(path: file.path, finding: .unexamined)
        let envelope = EnvelopeFile(databasePath: file.path, name: file.name)
        hasEnvelope = (try? envelope.exists()) ?? false
        hasLog = (try? file.hasLog()) ?? false
        let processes = try Set(
            FileHolders.locking(["", "-shm"].map { file.path + $0 }) + FileHolders.opening(file.path))
        holders = processes.sorted().map { Holder(process: $0, name: FileHolders.name(of: $0)) }
    }

    /// What is known without looking at the pages of a file that could not be opened.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - error: Why not.
    init(of file: DatabaseFile, after error: StrongroomError) {
        // What lies there is one thing, and what could be found out of it on the way another.
        self = (try? FileDiagnosis(surroundingsOf: file)) ?? FileDiagnosis(path: file.path, finding: .unexamined)
        finding = Finding(error.code) ?? .unexamined
        reason = error.message
        if let status = try? FileStatus.at(file.path), status.isRegularFile { bytes = status.size }
    }
}

extension FileDiagnosis.Finding {
    /// What an error says of the file; nil when it says nothing.
    fileprivate init?(_ code: StrongroomError.Code) {
        switch code {
        case .fileMissing: self = .absent
        case .notAFile: self = .notAFile
        case .permissionDenied: self = .unreadable
        case .emptyFile: self = .empty
        case .notADatabase: self = .tooShort
        case .plaintextFile: self = .plaintext
        case .encryptedFile: self = .keyless
        case .wrongKey: self = .wrongKey
        case .envelopeMissing, .envelopeDamaged, .newerEnvelope, .foreignEnvelope: self = .envelope
        case .truncated: self = .truncated
        case .damaged: self = .damaged
        case .newerSchema: self = .newerSchema
        default: return nil
        }
    }
}

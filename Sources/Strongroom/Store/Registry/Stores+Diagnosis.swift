extension Stores {
    /// Tells what a database's file is, without writing anything: whether it is there, which key of its chain and which
    /// settings fit, whether its pages are whole, its schema known, and who has it open.
    ///
    /// Nothing is rotated, migrated, brought in from a log or locked, so the file may be open, here and in other
    /// processes. What others write meanwhile may or may not be seen. Every page is read; a passphrase costs a
    /// derivation for each key and setting that is tried.
    ///
    /// ```swift
    /// print(try await stores.diagnose("addressbook_alice.sqlite"))
    /// ```
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its configuration says which keys, settings and migrations it has.
    ///   - path: Another file that is to be looked at with these, such as a backup; nil for the one the configuration
    ///     names.
    ///   - progress: Called now and then, with `checking`, in pages, on a thread of the library's own; it must not
    ///     wait.
    /// - Returns: What was found. Whatever is wrong with the file is no error here.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `duplicateConfiguration`, `cipherSettings`,
    ///   `inputOutput`; what the configuration throws; `CancellationError` when the task is cancelled, which ends it
    ///   soon.
    public func diagnose(
        _ fileName: String,
        at path: String? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> FileDiagnosis {
        let name = try DatabaseName(fileName)
        let configuration = try configuration(of: name)
        let ciphers = try configuration.checkedCiphers(for: name)
        let keys = FileExamination.Keys(
            chain: try await configuration.keyChain(for: name), ciphers: ciphers,
            protection: configuration.keyProtection(for: name), migrator: try configuration.migrator(for: name))
        return try await Self.examine(
            path ?? configuration.checkedPath(for: name), keys, name: name.fileName, progress)
    }

    /// Tells what a file is for which there is no configuration; as ``diagnose(_:at:progress:)``.
    ///
    /// ```swift
    /// let keys = try KeyChain(.passphrase(secret))
    /// let diagnosis = try await Stores.diagnose(path: "/srv/backup/unknown.sqlite", keys: keys)
    /// ```
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - keys: Keys that may open it, oldest first; nil when there are none, so that not more is told than what needs
    ///     no key.
    ///   - settings: How it may be encrypted, oldest first; nil for those of SQLCipher 3 and of the linked engine.
    ///   - progress: Called now and then, with `checking`, in pages, on a thread of the library's own; it must not
    ///     wait.
    /// - Returns: What was found.
    /// - Throws: ``StrongroomError`` with `cipherSettings` or `inputOutput`; `CancellationError` when the task is
    ///   cancelled.
    public static func diagnose(
        path: String,
        keys: KeyChain? = nil,
        settings: [CipherSettings]? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> FileDiagnosis {
        let ciphers = try settings ?? CipherSettings.known()
        let name = FileSystem.name(of: path)
        for cipher in ciphers {
            guard let defect = try cipher.defect() else { continue }
            throw StrongroomError(.cipherSettings, "The cipher settings cannot be used: \(defect).", database: name)
        }
        let known = keys.map { FileExamination.Keys(chain: $0, ciphers: ciphers, protection: .direct, migrator: nil) }
        return try await examine(path, known, name: name, progress)
    }

    private static func examine(
        _ path: String, _ keys: FileExamination.Keys?, name: String,
        _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> FileDiagnosis {
        // What lies beside it lies beside the file, not beside a link to it.
        let path = (try? FileSystem.resolve(path)) ?? path
        let file = DatabaseFile(path: path, name: name, busyTimeout: 0, log: nil)
        return try await WorkMonitor.run(progress) { monitor in
            try FileExamination(file: file, keys: keys, monitor: monitor).run()
        }
    }
}

extension StrongroomError {
    /// This failure of opening with what is known of the file.
    ///
    /// - Parameters:
    ///   - key: The place in the chain of the key that opens it; nil when none does, or it is plaintext.
    ///   - count: The number of keys in the chain.
    ///   - settings: How the file is encrypted.
    ///   - isOfFile: Whether it was the file with which it failed, and not what its configuration has to give.
    func diagnosed(
        _ file: DatabaseFile, key: Int? = nil, of count: Int = 0, _ settings: CipherSettings? = nil,
        isOfFile: Bool = true
    ) -> StrongroomError {
        guard finding == nil else { return self }
        var diagnosis = FileDiagnosis(of: file, after: self, isOfFile: isOfFile)
        diagnosis.key = key.map { KeyUse(place: $0, count: count) }
        diagnosis.settings = settings
        var copy = self
        copy.finding = diagnosis
        return copy
    }
}

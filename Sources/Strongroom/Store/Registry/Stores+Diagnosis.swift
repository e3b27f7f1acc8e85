extension Stores {
    /// Diagnoses a database's file without writing: whether it exists, which key of its chain and which settings open
    /// it, whether its pages are intact, whether its schema is known, and which processes have it open.
    ///
    /// The file is not rotated, migrated, checkpointed or locked, so it may be open in this and other processes.
    /// Concurrent writes may or may not be seen. Every page is read; a passphrase costs one derivation for each key and
    /// setting that is tried.
    ///
    /// ```swift
    /// print(try await stores.diagnose("addressbook_alice.sqlite"))
    /// ```
    ///
    /// - Parameters:
    ///   - fileName: The database's name; its configuration provides its keys, settings and migrations.
    ///   - path: The path of another file to diagnose with these, such as a backup; nil for the configured one.
    ///   - progress: Called repeatedly with `checking`, in pages, on one of the library's threads; must not block.
    /// - Returns: The diagnosis. What is wrong with the file is part of it, not thrown.
    /// - Throws: ``StrongroomError`` with `invalidName`, `noConfiguration`, `duplicateConfiguration`, `invalidSetting`,
    ///   `inputOutput`; what the configuration throws; `CancellationError` if the task is cancelled, which stops the
    ///   diagnosis soon.
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

    /// Diagnoses a file without a configuration; as ``diagnose(_:at:progress:)``.
    ///
    /// ```swift
    /// let keys = try KeyChain(.passphrase(secret))
    /// let diagnosis = try await Stores.diagnose(path: "/srv/backup/unknown.sqlite", keys: keys)
    /// ```
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - keys: Keys to try, oldest first; nil for none, which limits the diagnosis to what needs no key.
    ///   - settings: Cipher settings to try, oldest first; nil for those of SQLCipher 3 and of the linked engine.
    ///   - progress: Called repeatedly with `checking`, in pages, on one of the library's threads; must not block.
    /// - Returns: The diagnosis.
    /// - Throws: ``StrongroomError`` with `invalidSetting` or `inputOutput`; `CancellationError` if the task is
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
            throw StrongroomError(.invalidSetting, "The cipher settings cannot be used: \(defect).", database: name)
        }
        let known = keys.map { FileExamination.Keys(chain: $0, ciphers: ciphers, protection: .direct, migrator: nil) }
        return try await examine(path, known, name: name, progress)
    }

    private static func examine(
        _ path: String, _ keys: FileExamination.Keys?, name: String,
        _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> FileDiagnosis {
        // The files that belong to it are beside the file, not beside a link to it.
        let path = (try? FileSystem.resolve(path)) ?? path
        let file = DatabaseFile(path: path, name: name, busyTimeout: 0, log: nil)
        return try await WorkMonitor.run(progress) { monitor in
            try FileExamination(file: file, keys: keys, monitor: monitor).run()
        }
    }
}

extension StrongroomError {
    /// This error of an opening, with what is known of the file.
    ///
    /// - Parameters:
    ///   - key: The index in the chain of the key that opens it; nil if none does, or if it is plaintext.
    ///   - count: The number of keys in the chain.
    ///   - settings: How the file is encrypted.
    ///   - isOfFile: Whether the file caused the error, rather than its configuration.
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

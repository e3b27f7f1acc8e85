import Logging

/// The validated values of a configuration.
extension Configuration {
    /// The path of the file; links in it are not resolved yet.
    ///
    /// - Throws: ``StrongroomError`` with `invalidName` for a relative path; what the configuration throws.
    func checkedPath(for name: DatabaseName) throws -> String {
        let path = try filePath(for: name) ?? DefaultPath.path(for: name)
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw StrongroomError(
                .invalidName,
                "The configuration gives the path \"\(path)\"; give one that begins with \"/\".",
                database: name.fileName
            )
        }
        return path
    }

    /// The cipher settings that the file may have, oldest first.
    ///
    /// - Throws: ``StrongroomError`` with `invalidSetting` for an empty list, or invalid settings; what the
    ///   configuration throws.
    func checkedCiphers(for name: DatabaseName) throws -> [CipherSettings] {
        let ciphers = try cipherSettings(for: name)
        guard !ciphers.isEmpty else {
            throw StrongroomError(
                .invalidSetting,
                """
                The configuration gives no cipher settings; give at least one, such as `CipherSettings.engineDefault()`.
                """,
                database: name.fileName
            )
        }
        for (position, cipher) in ciphers.enumerated() {
            guard let defect = try cipher.defect() else { continue }
            throw StrongroomError(
                .invalidSetting,
                "Cipher settings \(position + 1) of the configuration cannot be used: \(defect).",
                database: name.fileName
            )
        }
        return ciphers
    }

    /// The functions and collations in Swift of its connections.
    ///
    /// - Throws: ``StrongroomError`` with `invalidName` for a name that cannot be used or is used twice, `limit` for
    ///   too many arguments.
    func checkedFunctions(for name: DatabaseName) throws -> ConnectionFunctions {
        let functions = functions(for: name)
        let collations = collations(for: name)
        let tokenizers = tokenizers(for: name)
        guard !functions.isEmpty || !collations.isEmpty || !tokenizers.isEmpty else { return ConnectionFunctions() }
        do {
            return try ConnectionFunctions(functions, collations, tokenizers)
        } catch let error as StrongroomError {
            throw error.naming(name.fileName)
        }
    }
}

extension DatabaseFile {
    /// The file, opened as the configuration's settings say.
    init(path: String, _ name: DatabaseName, _ settings: StoreSettings, _ logger: Logger?) {
        let isOnDisk = settings.storage == .disk
        self.init(
            path: path,
            name: name.fileName,
            busyTimeout: isOnDisk ? Int(clamping: settings.busyTimeout.milliseconds) : 0,
            log: StatementLog.Settings(logger, slow: settings.slowStatement),
            hasRecursiveTriggers: settings.recursiveTriggers,
            pageCache: settings.pageCache,
            isReadOnly: isOnDisk && settings.isReadOnly
        )
    }
}

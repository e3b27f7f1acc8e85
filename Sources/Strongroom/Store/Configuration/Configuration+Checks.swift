import Logging

/// What a configuration answers, checked.
extension Configuration {
    /// The path that the file is to have; links in it are not followed yet.
    ///
    /// - Throws: ``StrongroomError`` with `invalidName` for one that is not absolute; what the configuration throws.
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

    /// How the file may be encrypted, oldest first.
    ///
    /// - Throws: ``StrongroomError`` with `cipherSettings` for none, or some that cannot be used; what the
    ///   configuration throws.
    func checkedCiphers(for name: DatabaseName) throws -> [CipherSettings] {
        let ciphers = try cipherSettings(for: name)
        guard !ciphers.isEmpty else {
            throw StrongroomError(
                .cipherSettings,
                """
                The configuration gives no cipher settings; give at least one, such as `CipherSettings.engineDefault()`.
                """,
                database: name.fileName
            )
        }
        for (position, cipher) in ciphers.enumerated() {
            guard let defect = try cipher.defect() else { continue }
            throw StrongroomError(
                .cipherSettings,
                "Cipher settings \(position + 1) of the configuration cannot be used: \(defect).",
                database: name.fileName
            )
        }
        return ciphers
    }
}

extension DatabaseFile {
    /// A file that is used as a configuration's settings say.
    init(path: String, _ name: DatabaseName, _ settings: StoreSettings, _ logger: Logger?) {
        let isOnDisk = settings.storage == .disk
        self.init(
            path: path,
            name: name.fileName,
            busyTimeout: isOnDisk ? Int(clamping: settings.busyTimeout.milliseconds) : 0,
            log: StatementLog.Settings(logger, slow: settings.slowStatement),
            hasRecursiveTriggers: settings.recursiveTriggers,
            isReadOnly: isOnDisk && settings.isReadOnly
        )
    }
}

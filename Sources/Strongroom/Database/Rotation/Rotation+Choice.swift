extension Rotation {
    /// Brings a file to the key that it is to have and the current cipher settings, if it is not there already.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - unlocked: The file with the key that opens it. Its connection is closed when something is to be done.
    ///   - key: The key that it is to have: the chain's current one, or the newest data key.
    ///   - position: The index in the chain of the current key.
    ///   - settings: The settings that it is to have.
    ///   - salt: The file's salt; nil for plaintext.
    ///   - patience: How long to wait for other processes when exclusive access is needed.
    ///   - monitor: Who is told.
    ///   - whenReplaced: Called when another file lies at the path, and the one that lay there before is still open.
    /// - Returns: What was done, and the key that the file is on now.
    static func run(
        _ file: DatabaseFile,
        _ unlocked: UnlockedFile,
        to key: Key,
        position: Int,
        _ settings: CipherSettings,
        salt: [UInt8]?,
        patience: Duration,
        monitor: WorkMonitor,
        whenReplaced: () throws -> Void
    ) throws -> (report: RotationReport, derivedKey: DerivedKey)? {
        guard !unlocked.isCurrent || unlocked.derivedKey?.settings != settings else { return nil }
        unlocked.connection.close()
        let start = ContinuousClock.now
        let salt = salt ?? key.salt ?? CipherSettings.randomSalt()
        let derived = try unlocked.currentKey ?? DerivedKey(key, salt: salt, settings: settings)
        let outcome = try withoutActuallyEscaping(whenReplaced) { whenReplaced in
            try Rotation(
                file: file, from: unlocked.derivedKey, to: derived, patience: patience, monitor: monitor,
                whenReplaced: whenReplaced
            ).run()
        }
        var report = RotationReport(
            method: outcome.method,
            from: unlocked.derivedKey == nil ? nil : unlocked.position,
            to: position,
            formerSettings: unlocked.derivedKey?.settings,
            settings: settings,
            bytes: outcome.bytes,
            isOldContentGone: try outcome.isOldContentGone && !file.hasSnapshots(),
            writingDuration: ContinuousClock.now - start - outcome.verification,
            verificationDuration: outcome.verification
        )
        report.attributesNotKept = outcome.attributesNotKept
        return (report, derived)
    }
}

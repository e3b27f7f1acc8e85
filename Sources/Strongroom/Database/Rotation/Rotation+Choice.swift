extension Rotation {
    /// Rotates a file to the key that it should have and the current cipher settings, unless it has them already.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - unlocked: The file with the key that opens it. Its connection is closed if there is something to do.
    ///   - key: The key that it should have: the chain's current one, or the newest data key.
    ///   - position: The index in the chain of the current key.
    ///   - settings: The settings that it should have.
    ///   - salt: The file's salt; nil for plaintext.
    ///   - patience: How long to wait for other processes when exclusive access is needed.
    ///   - monitor: The monitor to report to.
    ///   - whenReplaced: Called when another file has replaced the one at the path, which is still open.
    /// - Returns: What was done, and the key that the file has now.
    static func run(
        _ file: DatabaseFile,
        _ unlocked: UnlockedFile,
        to key: Key,
        position: Int,
        _ settings: CipherSettings,
        salt: [UInt8]?,
        patience: Duration,
        monitor: WorkMonitor,
        whenReplaced: @escaping @Sendable () throws -> Void
    ) throws -> (report: RotationReport, derivedKey: DerivedKey)? {
        guard !unlocked.isCurrent || unlocked.derivedKey?.settings != settings else { return nil }
        unlocked.connection.close()
        let start = ContinuousClock.now
        let salt = salt ?? key.salt ?? CipherSettings.randomSalt()
        let derived = try unlocked.currentKey ?? DerivedKey(key, salt: salt, settings: settings)
        let outcome = try Rotation(
            file: file, from: unlocked.derivedKey, to: derived, patience: patience, monitor: monitor,
            whenReplaced: whenReplaced
        ).run()
        var report = RotationReport(
            method: outcome.method,
            from: unlocked.derivedKey == nil ? nil : unlocked.position,
            to: position,
            formerSettings: unlocked.derivedKey?.settings,
            settings: settings,
            bytes: outcome.bytes,
            isOldContentGone: try outcome.isOldContentGone && !file.hasMigrationBackups(),
            writingDuration: ContinuousClock.now - start - outcome.verification,
            verificationDuration: outcome.verification
        )
        report.attributesNotKept = outcome.attributesNotKept
        return (report, derived)
    }
}

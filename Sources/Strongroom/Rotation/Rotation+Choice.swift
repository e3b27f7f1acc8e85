extension Rotation {
    /// Brings a file to the current key of a chain and the current cipher settings, if it is not there already.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - choice: The key that opens it. Its connection is closed when something is to be done.
    ///   - chain: The keys.
    ///   - settings: The settings that it is to have.
    ///   - salt: The file's salt; nil for plaintext.
    ///   - patience: How long other processes are waited for when the file has to be had alone.
    ///   - watcher: Who is told.
    /// - Returns: What was done, and the key that the file is on now.
    static func run(
        _ file: DatabaseFile,
        _ choice: KeyChoice,
        to chain: KeyChain,
        _ settings: CipherSettings,
        salt: [UInt8]?,
        patience: Duration,
        watcher: RotationWatcher
    ) throws -> (report: RotationReport, key: DerivedKey)? {
        let last = chain.count - 1
        guard let key = chain.current, choice.place != last || choice.derived?.settings != settings else { return nil }
        choice.connection.close()
        let start = ContinuousClock.now
        let salt = salt ?? key.salt ?? CipherSettings.randomSalt()
        let derived = try choice.current ?? DerivedKey(key, salt: salt, settings: settings)
        let rotation = Rotation(file: file, from: choice.derived, to: derived, patience: patience, watcher: watcher)
        let outcome = try rotation.run()
        let report = RotationReport(
            method: outcome.method,
            from: choice.derived == nil ? nil : choice.place,
            to: last,
            formerSettings: choice.derived?.settings,
            settings: settings,
            bytes: outcome.bytes,
            isOldContentGone: outcome.isOldContentGone,
            writingDuration: ContinuousClock.now - start - outcome.verification,
            verificationDuration: outcome.verification
        )
        return (report, derived)
    }
}

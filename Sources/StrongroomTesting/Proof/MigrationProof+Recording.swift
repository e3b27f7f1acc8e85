public import Foundation
import Strongroom

extension MigrationProof {
    /// Records a small encrypted file of a released version, with the data planted at it, to be kept with the tests;
    /// ``verify(fileID:line:)`` migrates all such files to every later version.
    ///
    /// An existing file is not changed, so the call may remain in a test; delete the file to record it again. The file
    /// name contains the version and the major version of the linked SQLCipher, as in `2.cipher4.sqlite`.
    ///
    /// The file of an automatic migrator has today's tables, and the version is the name of the release that is being
    /// published.
    ///
    /// ```swift
    /// @Test(.enabled(if: ProcessInfo.processInfo.environment["RECORD"] != nil))
    /// func record() async throws {
    ///     try await proof.recordFixture(version: "2")
    /// }
    /// ```
    ///
    /// - Parameter version: A version of the migrator; for an automatic one, a name that no earlier release has.
    /// - Returns: The path of the file.
    /// - Throws: `StrongroomError` with `invalidArgument` if there is no such version, or it is that of an earlier
    ///   release, or the error that prevented creating the file; the file system's error.
    @discardableResult
    public func recordFixture(version: String) async throws -> URL {
        let subject = try ProofSubject(self)
        let migrator = try subject.migrator()
        let name = Fixture.name(version: version, cipher: try EngineFeatures.current().cipherMajorVersion)
        let url = URL(filePath: fixtures.path).appending(path: name)
        let isThere = FileManager.default.fileExists(atPath: url.path(percentEncoded: false))
        if migrator.isAutomatic, isThere { return url }
        let recording = try recordingMigrator(migrator, version, subject)
        guard !isThere else { return url }
        try FileManager.default.createDirectory(at: URL(filePath: fixtures.path), withIntermediateDirectories: true)
        let file = try ProofFile(subject)
        let plantings = plantings.filter { $0.version == version }
        // A single file: an envelope would be a second one.
        try await file.using(migrator: recording, keys: [Self.fixtureKey], protection: .direct) { store in
            for planting in plantings { try await store.write(as: .immediate) { db in try planting.plant(db) } }
            try await store.vacuum()
        }
        try FileManager.default.copyItem(at: URL(filePath: file.path), to: url)
        return url
    }

    /// The migrator that creates a file of a version.
    private func recordingMigrator(_ migrator: Migrator, _ version: String, _ subject: ProofSubject) throws -> Migrator
    {
        guard migrator.isAutomatic else {
            if let index = migrator.migrations.firstIndex(where: { $0.version == version }) {
                let steps = Array(migrator.migrations[...index])
                return Migrator { steps }.whenChanged(.ignore)
            }
            throw StrongroomError(
                .invalidArgument,
                "The migrator has no version \"\(version)\" to record a file of.",
                database: subject.name.fileName)
        }
        if version.isEmpty || version == Migrator.automaticVersion
            || releases.contains(where: { $0.version == version })
        {
            throw StrongroomError(
                .invalidArgument,
                """
                A file of today's tables is not one of the release "\(version)"; give it the name of the release that \
                is being published.
                """,
                database: subject.name.fileName)
        }
        return migrator
    }
}

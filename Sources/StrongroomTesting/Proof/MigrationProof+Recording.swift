public import Foundation
import Strongroom

extension MigrationProof {
    /// Writes a small encrypted file of a released version, with what is planted there, to be kept with the tests;
    /// ``verify(fileID:line:)`` brings all such files to every later version.
    ///
    /// A file that is there already stays as it is, so the call may stay in a test; delete the file to have it written
    /// anew. Its name has the version and the major version of the linked SQLCipher, as in `2.cipher4.sqlite`.
    ///
    /// ```swift
    /// @Test(.enabled(if: ProcessInfo.processInfo.environment["RECORD"] != nil))
    /// func record() async throws {
    ///     try await proof.recordFixture(version: "2")
    /// }
    /// ```
    ///
    /// - Parameter version: A version of the migrator.
    /// - Returns: Where the file lies.
    /// - Throws: `StrongroomError` with `invalidMigrator` when there is no such version, and with what keeps the file
    ///   from being made; the file system's error.
    @discardableResult
    public func recordFixture(version: String) async throws -> URL {
        let run = try ProofRun(self)
        guard let place = run.place(of: version) else {
            throw StrongroomError(
                .invalidMigrator,
                "There is no version \"\(version)\" in the migrator of which a file could be recorded.",
                database: run.subject.name.fileName)
        }
        let name = Fixture.name(version: version, cipher: try EngineFeatures.current().cipherMajorVersion)
        let url = URL(filePath: fixtures.path).appending(path: name)
        guard !FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else { return url }
        try FileManager.default.createDirectory(at: URL(filePath: fixtures.path), withIntermediateDirectories: true)
        let recorded = try await run.recorded(place)
        try FileManager.default.copyItem(at: URL(filePath: recorded.path), to: url)
        return url
    }
}

public import Foundation
import Strongroom

extension MigrationProof {
    /// Records a small encrypted file of a released version, with the data planted at it, to be kept with the tests;
    /// ``verify(fileID:line:)`` migrates all such files to every later version.
    ///
    /// An existing file is not changed, so the call may remain in a test; delete the file to record it again. The file
    /// name contains the version and the major version of the linked SQLCipher, as in `2.cipher4.sqlite`.
    ///
    /// ```swift
    /// @Test(.enabled(if: ProcessInfo.processInfo.environment["RECORD"] != nil))
    /// func record() async throws {
    ///     try await proof.recordFixture(version: "2")
    /// }
    /// ```
    ///
    /// - Parameter version: A version of the migrator.
    /// - Returns: The path of the file.
    /// - Throws: `StrongroomError` with `invalidMigrator` if there is no such version, or the error that prevented
    ///   creating the file; the file system's error.
    @discardableResult
    public func recordFixture(version: String) async throws -> URL {
        let run = try ProofRun(self)
        guard let index = run.index(of: version) else {
            throw StrongroomError(
                .invalidMigrator,
                "There is no version \"\(version)\" in the migrator of which a file could be recorded.",
                database: run.subject.name.fileName)
        }
        let name = Fixture.name(version: version, cipher: try EngineFeatures.current().cipherMajorVersion)
        let url = URL(filePath: fixtures.path).appending(path: name)
        guard !FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else { return url }
        try FileManager.default.createDirectory(at: URL(filePath: fixtures.path), withIntermediateDirectories: true)
        let recorded = try await run.recorded(index)
        try FileManager.default.copyItem(at: URL(filePath: recorded.path), to: url)
        return url
    }
}

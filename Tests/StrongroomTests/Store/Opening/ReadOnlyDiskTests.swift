#if os(Linux)
import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// On a file system that is mounted read-only, as Linux does after I/O errors; only root can make one.
@Suite(
    "A read-only file system",
    .enabled(if: SmallDisk.isPossible, "mounting a small file system needs root and the right to mount"))
struct ReadOnlyDiskTests {
    @Test(arguments: [false, true])
    func aFileIsSalvagedAndItsLogExamined(hasLockFile: Bool) async throws {
        let (disk, elsewhere) = (try SmallDisk(), try TemporaryDirectory())
        let vault = Vault("\(disk.path)/files", keys: .numbered(1))
        try await vault.keep("a", "b")
        if !hasLockFile { try FileManager.default.removeItem(atPath: vault.beside("lock")) }
        try disk.makeReadOnly()
        let stores = try Stores(vault)
        let report = try await stores.salvage("vault.sqlite", to: elsewhere.path("vault.sqlite"))
        #expect(report.isComplete && report.tables.first { $0.name == "line" }?.rowsCopied == 2, "\(report)")
        #expect(try await Vault(elsewhere.path(""), keys: .numbered(1)).lines() == ["a", "b"])
        let log = try await stores.recoverLog("vault.sqlite", dryRun: true)
        #expect(!log.isDamaged)
        let error = try await expectFailure(.permissionDenied) { try await stores.recoverLog("vault.sqlite") }
        #expect(error.message.contains("mounted read-only"), "\(error)")
    }
}
#endif

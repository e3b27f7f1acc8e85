import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

/// A replica has the name of its database, and no other name stands for it.
@Suite("Names of replicas")
struct ReplicaNameTests {
    @Test(arguments: ["_clinic.db", ".clinic", "clinic-wal", "clinic.keys", "\(String(repeating: "x", count: 220)).db"])
    func aFileWhoseNameIsNoDatabaseNameHasNone(name: String) async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let path = ledger.path(name)
        try FileManager.default.copyItem(atPath: ledger.path(), toPath: path)
        let (replicas, keys) = (ledger.directory.path("rep"), try ledger.keyFile(Ledger.secrets[0]))
        for command in [
            ["replicate", path, "--key-file", keys], ["replica", "status", path], ["replica", "verify", path],
            ["replica", "prune", path, "--keep", "1d"],
        ] {
            let run = try await ledger.run(command + ["--replicas", replicas])
            #expect(run.status != .success, "\(command)")
            #expect((run.output + run.errors).contains("cannot be the name of a replica"), "\(run)")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(replicas)/file"))
        try FileManager.default.removeItem(atPath: path)
        // The replica that an earlier version may have made.
        #expect(
            try await ledger.run("replicate", ledger.path(), "--replicas", replicas, "--key-file", keys).status
                == .success)
        try FileManager.default.moveItem(atPath: "\(replicas)/ledger.sqlite", toPath: "\(replicas)/file")
        let run = try await ledger.run("replica", "restore", path, "--replicas", replicas, "--key-file", keys)
        #expect(run.status != .success)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

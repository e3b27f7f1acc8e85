import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct ReplicateCommandTests {
    /// Fills a part of the file with zeros, as a disk that has lost it reads.
    private func lose(_ range: Range<Int>, of path: String) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64(range.lowerBound))
        try file.write(contentsOf: [UInt8](repeating: 0, count: range.count))
        try file.close()
    }

    @Test func `a page that the disk has lost is exit code 65, and is not shipped`() async throws {
        let ledger = try Ledger()
        try await ledger.make(rows: 2_000)
        let replicas = ledger.directory.path("replicas")
        let first = try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas)
        #expect(first.status == .success)
        let objects = try FileManager.default.subpathsOfDirectory(atPath: replicas).sorted()
        // A page of each engine, which have pages of 1 KiB and 4 KiB.
        try lose(32_768..<36_864, of: ledger.path("ledger.sqlite"))
        let run = try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas, "--json")
        #expect(run.status == .dataError)
        #expect(try run.failure().code == "damaged")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: replicas).sorted() == objects)
    }

    @Test func `a restore that is refused leaves nothing`() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let (replicas, other) = (ledger.directory.path("replicas"), ledger.directory.path("other"))
        #expect(try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas).status == .success)
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        let keys = try ledger.keyFile(Ledger.secrets[2])
        let run = try await ledger.run(
            "replica", "restore", "\(other)/ledger.sqlite", "--replicas", replicas, "--key-file", keys, "--json")
        #expect(run.status == .configuration, "\(run)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: other) == [])
    }

    @Test func `a replica that is gone is named, and begun anew by request`() async throws {
        let ledger = try Ledger()
        try await ledger.make()
        let replicas = ledger.directory.path("replicas")
        #expect(try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas).status == .success)
        try FileManager.default.removeItem(atPath: replicas)
        let run = try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas, "--json")
        #expect(run.status == .noInput)
        #expect(try run.failure().code == "replicaMissing")
        #expect(!FileManager.default.fileExists(atPath: replicas))
        let anew = try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas, "--take-over")
        #expect(anew.status == .success)
    }

    @Test func `replica verify lists every damaged object, and ends with exit code 1`() async throws {
        struct Answer: Decodable {
            struct Detail: Decodable { let findings: [String] }
            let detail: Detail?
        }
        let ledger = try Ledger()
        try await ledger.make()
        let replicas = ledger.directory.path("replicas")
        #expect(try await ledger.run("replicate", "ledger.sqlite", "--replicas", replicas).status == .success)
        let objects = try FileManager.default.subpathsOfDirectory(atPath: replicas).filter { name in
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: "\(replicas)/\(name)", isDirectory: &isDirectory)
            return exists && !isDirectory.boolValue && (name.contains("/base/") || name.contains("/fff"))
        }
        try #require(objects.count > 1)
        for name in objects { try Data().write(to: URL(filePath: "\(replicas)/\(name)")) }
        let run = try await ledger.run("replica", "verify", "ledger.sqlite", "--replicas", replicas, "--json")
        #expect(run.status == .failure)
        let findings = try run.json(Answer.self).detail?.findings ?? []
        for name in objects { #expect(findings.contains { $0.contains(name) }, "\(name): \(findings)") }
    }
}

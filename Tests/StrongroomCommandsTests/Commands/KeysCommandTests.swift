import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct KeysCommandTests {
    struct Count: Decodable { let path: String, keys: Int }
    struct Fingerprints: Decodable {
        struct Key: Decodable { let number: Int, fingerprint: String, isCurrent: Bool }
        let keys: [Key]
    }

    private let ledger: Ledger
    private let path: String

    init() throws {
        ledger = try Ledger()
        path = ledger.directory.path("made/keys")
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func makesAFileForItsOwnerAloneAndShowsNoKey() async throws {
        let run = try await ledger.run("keys", "make", path, "--json")
        #expect(try run.json(Count.self).keys == 1)
        #expect(try mode(path) == 0o600)
        let key = try text(path).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(key.hasPrefix("raw:") && key.count == 68)
        #expect(!run.output.contains(key.dropFirst(4)))
    }

    @Test func neverOverwritesAFile() async throws {
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let run = try await ledger.run("keys", "make", keys, "--json")
        #expect(run.status == .cannotCreate)
        #expect(try run.failure().code == "exists")
        #expect(try text(keys) == "\(Ledger.secrets[0])\n")
    }

    @Test(arguments: ["\n", "", "\r\n"])
    func appendsAKeyBehindTheOthers(end: String) async throws {
        let keys = try ledger.keyFile()
        try Data((Ledger.secrets[0] + end).utf8).write(to: URL(filePath: keys))
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: keys)
        let run = try await ledger.run("keys", "append", keys, "--json")
        #expect(try run.json(Count.self).keys == 2)
        let lines = try text(keys).split(whereSeparator: \.isNewline)
        #expect(lines.first.map(String.init) == Ledger.secrets[0])
        #expect(lines.last?.hasPrefix("raw:") == true && lines.count == 2)
        #expect(try mode(keys) == 0o400)
        let names = try FileManager.default.contentsOfDirectory(atPath: ledger.directory.path(""))
        #expect(names == ["keys"])
    }

    @Test func appendsAPassphraseThatIsTypedOrPiped() async throws {
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let typed = try await ledger.run("keys", "append", keys, "--passphrase", "--json", typed: Ledger.secrets[1])
        #expect(try typed.json(Count.self).keys == 2)
        let piped = try await ledger.run(
            "keys", "append", keys, "--passphrase-stdin", "--json", piped: "\(Ledger.secrets[2])\n")
        #expect(try piped.json(Count.self).keys == 3)
        #expect(try text(keys) == Ledger.secrets.map { "\($0)\n" }.joined())
        // One that is there already would be no new key.
        let twice = try await ledger.run("keys", "append", keys, "--passphrase", "--json", typed: Ledger.secrets[1])
        #expect(twice.status == .configuration)
        #expect(try text(keys) == Ledger.secrets.map { "\($0)\n" }.joined())
    }

    @Test func aFileThatCannotBeUsedIsNotAppendedTo() async throws {
        let keys = try ledger.keyFile("raw:12")
        let run = try await ledger.run("keys", "append", keys, "--json")
        #expect(run.status == .configuration)
        #expect(try text(keys) == "raw:12\n")
    }

    @Test func fingerprintsTellKeysApartAndAreTheSameEverywhere() async throws {
        let first = try ledger.keyFile(Ledger.secrets[0], Ledger.secrets[1], name: "first")
        let second = try ledger.keyFile(Ledger.secrets[1], Ledger.secrets[2], name: "second")
        let (one, two) = (
            try await ledger.run("keys", "fingerprints", first, "--json").json(Fingerprints.self).keys,
            try await ledger.run("keys", "fingerprints", second, "--json").json(Fingerprints.self).keys
        )
        #expect(one.map(\.number) == [1, 2] && one.map(\.isCurrent) == [false, true])
        #expect(one[1].fingerprint == two[0].fingerprint)
        #expect(Set((one + two).map(\.fingerprint)).count == 3)
        #expect(one.allSatisfy { $0.fingerprint.count == 8 })
    }

    @Test func checkFindsWhatIsWrong() async throws {
        #expect(try await ledger.run("keys", "check", ledger.keyFile(Ledger.secrets[0])).status == .success)
        let faults = [
            try ledger.keyFile(Ledger.secrets[0], name: "open", mode: 0o644),
            try ledger.keyFile(Ledger.secrets[0], Ledger.secrets[0], name: "twice"),
            try ledger.keyFile("raw:xyz", name: "malformed"),
            try ledger.keyFile("", name: "empty"),
        ]
        for fault in faults {
            #expect(try await ledger.run("keys", "check", fault).status == .configuration, "\(fault)")
        }
        #expect(try await ledger.run("keys", "check", ledger.directory.path("none")).status == .noInput)
    }

    @Test func aNewKeyAndARotationBringAFamilyToIt() async throws {
        _ = try await ledger.run("keys", "make", path)
        var family = ledger.with(\.keys, [])
        func reload() throws { family.configuration.keys = try Self.keys(in: text(path)) }
        try reload()
        for name in ["ledger_a.sqlite", "ledger_b.sqlite"] { try await family.make(name) }
        _ = try await ledger.run("keys", "append", path)
        try reload()
        let run = try await family.run("rotate", "--family", "ledger", "--json")
        #expect(run.status == .success)
        #expect(try run.lines(RotateCommandTests.Answer.self).allSatisfy { $0.detail?.toKey == 2 })
    }

    private static func keys(in text: String) -> [Key] {
        text.split(separator: "\n").map { line in
            let digits = Array(line.dropFirst(4))
            return .raw(stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) })
        }
    }
}

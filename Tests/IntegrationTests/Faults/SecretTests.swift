#if os(Linux)
import Foundation
import StrongroomTesting
import Testing

/// A process works with secrets that can be told from everything else, and files, output and memory are searched for
/// them.
@Suite("Secrets stay secret", .ending)
struct SecretTests {
    private enum Secret {
        /// Without the separators of recovery keys, which are left out where a line is compared with one.
        static let passphrase = Array(UUID().uuidString.replacing("-", with: "p").utf8)
        static let rawKey = Array(UUID().uuidString.utf8.prefix(32))
        static let row = Array("a row like no other \(UUID().uuidString)".utf8)

        static func hexadecimal(_ bytes: [UInt8]) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }

        /// What a key looks like: its bytes, and as the engine's text.
        static var keys: [Data] {
            [Data(passphrase), Data(rawKey)]
                + [passphrase, rawKey].flatMap { key in
                    let text = hexadecimal(key)
                    return [Data(text.utf8), Data(text.uppercased().utf8)]
                }
        }

        static var all: [Data] { keys + [Data(row)] }

        static var masked: String {
            [passphrase, rawKey, row].map { secret in hexadecimal(secret.map { $0 ^ 0xA5 }) }.joined(separator: ".")
        }
    }

    @Test(
        .enabled(if: !ThreadSanitizer.isOn, "the thread sanitizer's own memory is terabytes, which cannot be searched"))
    func noFileOutputOrMemoryHoldsASecret() async throws {
        let directory = try TemporaryDirectory()
        let (files, temporary) = (directory.path("files"), directory.path("temporary"))
        for path in [files, temporary] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        let program = try PausedProgram(["secrets", Secret.masked, files], directory, watching: temporary)
        defer { program.end() }
        try await program.wait(for: "open")
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).contains("vault.sqlite-wal"))
        // The search finds what is there: the keys are in use.
        #expect(try program.memory(holds: [Data(Secret.rawKey)]) || program.memory(holds: Secret.keys))
        #expect(try Self.names(in: files, holding: Secret.all) == [])
        try program.goOn()
        try await program.wait(for: "closed")
        #expect(try Self.names(in: files, holding: Secret.all) == [])
        #expect(try Self.names(in: directory.path(""), holding: Secret.all) == [])
        for (index, key) in Secret.keys.enumerated() {
            #expect(try !program.memory(holds: [key]), "form \(index) of the keys is in memory")
        }
        let output = try program.output()
        #expect(output.filter { $0.hasPrefix("error ") }.count == 4)
        #expect(!output.contains("no error"))
    }

    /// What the engine has had in its memory, in pages, values and sorted runs, is overwritten when it is freed.
    @Test(
        .enabled(if: !ThreadSanitizer.isOn, "the thread sanitizer's own memory is terabytes, which cannot be searched"))
    func noMemoryHoldsRowsOfAClosedStore() async throws {
        let directory = try TemporaryDirectory()
        let (program, halves) = try Self.program("rows", in: directory)
        defer { program.end() }
        try await program.wait(for: "open")
        let row = Data(halves.joined().utf8)
        // The search finds what is there: the page cache has the rows.
        #expect(try program.count(of: row) > 0)
        try program.goOn()
        try await program.wait(for: "closed")
        #expect(try program.count(of: row) == 0)
        #expect(try program.output().contains("rows 1333"))
    }

    /// What a diagnosis and a salvage decrypt without the engine is overwritten, too.
    @Test(
        .enabled(if: !ThreadSanitizer.isOn, "the thread sanitizer's own memory is terabytes, which cannot be searched"))
    func noMemoryHoldsRowsOfASalvagedFile() async throws {
        let directory = try TemporaryDirectory()
        let (program, halves) = try Self.program("salvage", in: directory)
        defer { program.end() }
        try await program.wait(for: "closed")
        let output = try program.output()
        #expect(output.contains("diagnosed damaged"), "\(output)")
        #expect(output.contains("salvaged line 500") && output.contains("salvaged word 500"), "\(output)")
        #expect(try program.count(of: Data(halves.joined().utf8)) == 0)
        // The search finds what is there: the program has the halves.
        #expect(try program.count(of: Data(halves[0].utf8)) > 0)
    }

    /// A program that makes rows of two halves, which only it puts together.
    private static func program(
        _ work: String, in directory: TemporaryDirectory
    ) throws -> (program: PausedProgram, halves: [String]) {
        let files = directory.path("files")
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: false)
        let halves = [UUID().uuidString, UUID().uuidString]
        let masked = (["a passphrase"] + halves).map { Secret.hexadecimal($0.utf8.map { $0 ^ 0xA5 }) }
        let arguments = [work, masked.joined(separator: "."), files]
        return (try PausedProgram(arguments, directory, watching: directory.path("")), halves)
    }

    /// The files that hold something of a list.
    private static func names(in directory: String, holding secrets: [Data]) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory).filter { name in
            guard let content = FileManager.default.contents(atPath: "\(directory)/\(name)") else { return false }
            return secrets.contains { content.range(of: $0) != nil }
        }
    }
}
#endif

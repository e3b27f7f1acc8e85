import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// What other programs with SQLCipher take for a raw key is no passphrase here.
@Suite("Passphrases in the notation of raw keys")
struct RawNotationTests {
    static let digits = String(repeating: "0a", count: 32)

    @Test(arguments: ["x'\(digits)'", "X'\(digits.uppercased())'", "x'\(digits)\(digits.prefix(32))'"])
    func itIsNoCurrentKey(text: String) throws {
        let error = try expectFailure(.invalidKey, saying: "raw:", "Key.raw") { try KeyChain(.passphrase(text)) }
        #expect(!error.message.contains("0a0a") && !error.message.contains("0A0A"))
        // An earlier version derived a key from it: such files are opened, and then rotated.
        #expect(try KeyChain(.passphrase(text), .numbered(1)).count == 2)
    }

    @Test func itIsNoLineOfAKeyFile() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("keys")
        try #require(
            FileManager.default.createFile(
                atPath: path, contents: Data("x'\(Self.digits)'\n".utf8), attributes: [.posixPermissions: 0o600]))
        try expectFailure(.invalidKey) { try KeyFile(path).keyChain() }
    }

    @Test(arguments: ["x'\(digits)", "x'\(digits.dropLast())g'", "y'\(digits)'", "x'0a'", "x\(digits)''"])
    func otherTextsAre(text: String) throws {
        #expect(try KeyChain(.passphrase(text)).count == 1)
    }
}

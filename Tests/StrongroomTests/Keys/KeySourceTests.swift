import Foundation
// Internal: what keys a chain has.
@testable import Strongroom
import StrongroomTesting
import Testing

#if ConfigReader
import Configuration
#endif

@Suite("Keys from the environment and from a configuration")
struct KeySourceTests {
    private static let raw = [UInt8](repeating: 0xAB, count: 32)

    static let texts: [(String, [Key])] = [
        ("one passphrase, with a comma", [.passphrase("one passphrase, with a comma")]),
        ("old\n\ncurrent\n", [.passphrase("old"), .passphrase("current")]),
        ("old\r\nraw:\(String(repeating: "ab", count: 32))", [.passphrase("old"), .raw(raw)]),
        ("ümlaut", [.passphrase("ümlaut")]),
    ]

    /// Each has a variable of its own: tests run at the same time.
    private func withVariable<T>(_ value: String?, _ body: (String) throws -> T) rethrows -> T {
        let name = "STRONGROOM_TEST_\(UUID().uuidString)"
        if let value { setenv(name, value, 1) }
        defer { unsetenv(name) }
        return try body(name)
    }

    @Test(arguments: texts)
    func aVariableOrAText(text: String, keys: [Key]) throws {
        #expect(try KeyChain(text: Array(text.utf8)).keys == keys)
        #expect(try withVariable(text) { try KeyChain(environment: $0) }.keys == keys)
    }

    @Test func aRecoveryKeyIsALineOfItsOwn() throws {
        let text = "000G0-40R47-0M30J-E209D-185GT-R38E6-1W81Q-24GK4"
        let key = try Key.recovery(RecoveryKey(text))
        for line in [text, "recovery:\(text)", "recovery: \(text.lowercased())", text.replacing("-", with: " ")] {
            #expect(try KeyChain(text: Array("old\n\(line)\n".utf8), source: "It").keys == [.passphrase("old"), key])
        }
        // Without the prefix, what has a mistake is a passphrase.
        let wrong = text.replacing("40R47", with: "40R48")
        #expect(try KeyChain(text: Array(wrong.utf8), source: "It").keys == [.passphrase(wrong)])
        try expectFailure(.keySource, saying: "line 2", "group 2 of 8") {
            try KeyChain(text: Array("old\nrecovery:\(wrong)".utf8), source: "It")
        }
    }

    static let unusable: [(String?, StrongroomError.Code)] = [
        (nil, .keySource), ("", .keySource), ("\n\n", .keySource), ("raw:12", .keySource),
        ("\u{FEFF}secret", .keySource),
        ("same\nsame", .invalidKey),
    ]

    @Test(arguments: unusable)
    func aVariableThatCannotBeUsed(text: String?, code: StrongroomError.Code) throws {
        try withVariable(text) { name in
            let error = try expectFailure(code) { try KeyChain(environment: name) }
            #expect(code != .keySource || error.message.contains(name))
            #expect(text.map { $0.isEmpty || !error.message.contains($0) } ?? true)
        }
        try expectFailure(.keySource) { try KeyChain(environment: "") }
        try expectFailure(.keySource) { try KeyChain(environment: "A\u{0}B") }
    }

    @Test(arguments: unusable.filter { $0.0 != nil })
    func aTextThatCannotBeUsed(text: String?, code: StrongroomError.Code) throws {
        let text = try #require(text)
        for source in [nil, "The vault's secret"] {
            let error = try expectFailure(code) {
                try source.map { try KeyChain(text: Array(text.utf8), source: $0) } ?? KeyChain(text: Array(text.utf8))
            }
            #expect(code != .keySource || error.message.hasPrefix(source ?? "The text of the keys"))
            #expect(text.isEmpty || !error.message.contains(text))
        }
        try expectFailure(.keySource) { try KeyChain(text: [0xFF]) }
        try expectFailure(.keySource) { try KeyChain(text: [UInt8](repeating: 0x61, count: 64 * 1_024 + 1)) }
    }

    #if ConfigReader
    private func reader(_ value: String?) -> ConfigReader {
        let values: [AbsoluteConfigKey: ConfigValue] =
            value.map { ["store.keys": ConfigValue(.string($0), isSecret: true)] } ?? [:]
        return ConfigReader(provider: InMemoryProvider(values: values))
    }

    @Test(arguments: texts)
    func aValue(text: String, keys: [Key]) async throws {
        #expect(try await KeyChain(reader(text), forKey: "store.keys").keys == keys)
    }

    @Test(arguments: unusable)
    func aValueThatCannotBeUsed(text: String?, code: StrongroomError.Code) async throws {
        let error = try await expectFailure(code) { try await KeyChain(reader(text), forKey: "store.keys") }
        #expect(code != .keySource || error.message.contains("store.keys"))
    }

    @Test func aValueOfAnotherTypeIsTold() async throws {
        let reader = ConfigReader(provider: InMemoryProvider(values: ["keys": 5]))
        let error = try await expectFailure(.keySource) { try await KeyChain(reader, forKey: "keys") }
        #expect(error.underlying != nil)
    }
    #endif
}

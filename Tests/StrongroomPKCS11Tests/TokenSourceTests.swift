import Foundation
import Strongroom
import StrongroomPKCS11
import StrongroomTesting
import Testing

/// What needs no module.
@Suite("Tokens and their keys")
struct TokenSourceTests {
    private func token(
        _ module: String = "/usr/lib/none.so", _ label: String = "inventory", serial: String? = nil
    ) throws -> PKCS11Token {
        try PKCS11Token(module: module, label: label, serial: serial) { [] }
    }

    @Test func `the identifier is the key's address`() throws {
        let token = try token()
        #expect(
            try token.aesKey(label: "databases 1").identifier
                == "pkcs11:token=inventory;object=databases%201;type=secret-key")
        #expect(
            try token.rsaKeyPair(label: "é;=%~", id: [0, 0x9A, 0x41]).identifier
                == "pkcs11:token=inventory;object=%C3%A9%3B%3D%25~;id=%00%9A%41;type=private")
        #expect(
            try self.token(serial: "12 ab").aesKey(label: "a").identifier
                == "pkcs11:token=inventory;object=a;type=secret-key")
    }

    @Test func `one that an envelope cannot store is refused by name`() throws {
        let room = 255 - "pkcs11:token=inventory;object=;type=secret-key".utf8.count
        let longest = try token().aesKey(label: String(repeating: "k", count: room))
        #expect(longest.identifier.utf8.count == 255)
        _ = try Key.external(longest)
        try expectFailure(.invalidArgument, saying: "256 bytes", "pkcs11:token=inventory;object=kkk") {
            try token().aesKey(label: String(repeating: "k", count: room + 1))
        }
        try expectFailure(.invalidArgument) { try token().rsaKeyPair(label: "") }
    }

    @Test func `a module without a full path and a label that no token has are refused`() throws {
        for path in ["libsofthsm2.so", "./libsofthsm2.so", "", "/usr/lib/\0.so"] {
            try expectFailure(.invalidArgument, saying: "not absolute") { try token(path) }
        }
        for label in ["", String(repeating: "x", count: 33)] {
            try expectFailure(.invalidArgument, saying: "1 to 32") { try token("/m.so", label) }
        }
        for serial in ["", String(repeating: "1", count: 17)] {
            try expectFailure(.invalidArgument, saying: "serial number") { try token(serial: serial) }
        }
    }

    @Test func `a module that is not there, or is none, is named when a key is used`() async throws {
        let directory = try TemporaryDirectory()
        let text = directory.path("text.so")
        try Data("no library".utf8).write(to: URL(filePath: text))
        for path in [directory.path("none.so"), text] {
            let key = try token(path).aesKey(label: "key")
            try await expectFailure(.keyProvider, saying: path, "cannot be loaded", "install it") {
                try await key.unwrap([1], context: [])
            }
        }
    }

    #if os(Linux)
    @Test func `a library that is no module is named`() async throws {
        // The library of C, which is in every process.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
        let maps = try #require(try file.readToEnd())
        let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        let path = try #require(lines.first { $0.hasSuffix("/libc.so.6") }?.split(separator: " ").last)
        let key = try token(String(path)).aesKey(label: "key")
        try await expectFailure(.keyProvider, saying: "has no C_GetFunctionList") {
            try await key.wrap([1], context: [])
        }
    }
    #endif

    @Test func `a database opens by another key while the module is not there`() async throws {
        var vault = Vault(keys: .numbered(1)).with(\.protection, .envelope)
        try await vault.keep("first")
        let key = try token().aesKey(label: "key")
        vault.keyChain = { _ in try KeyChain(.numbered(1), .external(key)) }
        let report = try await vault.keep("second")
        let failure = try #require(report.rotationFailure)
        #expect(failure.code == .keyProvider && failure.message.contains("/usr/lib/none.so"))
        #expect(failure.message.contains("correct the path. Make it available"), "\(failure)")
    }
}

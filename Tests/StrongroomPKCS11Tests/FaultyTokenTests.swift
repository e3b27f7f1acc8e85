import CPKCS11
import Foundation
import Strongroom
import StrongroomTesting
import Testing

// Internal: faults are planted between the library and the module.
@testable import StrongroomPKCS11

/// The plan of faults is one for all, see ``FaultyModule``.
@Suite("Tokens that fail", SoftHSM.isInstalled, .serialized)
struct FaultyTokenTests {
    private let test: TestToken
    private let module: CryptokiModule
    private let wrapped: [UInt8]

    private static let context = [UInt8](0..<16)
    private static let bytes = [UInt8](100..<132)

    init() async throws {
        let test = try TestToken()
        self.test = test
        try test.makeAESKey("key")
        wrapped = try await test.token().aesKey(label: "key").wrap(Self.bytes, context: Self.context)
        // All sessions of the process: that of the library, too, which stays logged in.
        try test.closeAllSessions()
        module = try FaultyModule.make()
    }

    private func key(pin: String = TestToken.pin, reading: @escaping @Sendable () -> Void = {}) throws
        -> any KeyProvider
    {
        try test.token(pin: pin, of: module, reading: reading).aesKey(label: "key")
    }

    private func unwrap(pin: String = TestToken.pin) async throws -> [UInt8] {
        try await key(pin: pin).unwrap(wrapped, context: Self.context)
    }

    // MARK: PINs

    @Test func `a wrong PIN is tried once, by however many threads`() async throws {
        let vaults = (0..<8).map { _ in Vault().with(\.protection, .envelope) }
        let wrong = try Key.external(key(pin: TestToken.otherPIN), timeout: .seconds(60))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for var vault in vaults {
                vault.keyChain = { _ in try KeyChain(wrong) }
                group.addTask { [vault] in
                    try await expectFailure(.keyProvider, saying: "CKR_PIN_INCORRECT", "Correct the PIN") {
                        try await vault.open()
                    }
                }
            }
            try await group.waitForAll()
        }
        try await expectFailure(.keyProvider, saying: "not tried again") { try await unwrap(pin: TestToken.otherPIN) }
        #expect(FaultyModule.calls("C_Login") == 1)
        #expect(try await unwrap() == Self.bytes)
        #expect(FaultyModule.calls("C_Login") == 2)
    }

    @Test func `each of two wrong PINs is tried once`() async throws {
        for pin in [TestToken.otherPIN, "161803", TestToken.otherPIN, "161803"] {
            try await expectFailure(.keyProvider, saying: "CKR_PIN_INCORRECT") { try await unwrap(pin: pin) }
        }
        #expect(FaultyModule.calls("C_Login") == 2)
    }

    @Test func `a wrong PIN is tried once more after a login has reset the token's count`() async throws {
        for expected in [1, 1, 2, 2] {
            if expected == 2, FaultyModule.calls("C_Login") == 1 { try test.session { _ in } }
            try await expectFailure(.keyProvider) { try await unwrap(pin: TestToken.otherPIN) }
            #expect(FaultyModule.calls("C_Login") == expected)
        }
    }

    @Test(arguments: [CKR_PIN_LEN_RANGE, CKR_PIN_INVALID])
    func `one that the token does not check is not tried again either`(result: CK_RV) async throws {
        FaultyModule.fail("C_Login", result)
        for _ in 0..<2 { try await expectFailure(.keyProvider, saying: "PIN was refused") { try await unwrap() } }
        #expect(FaultyModule.calls("C_Login") == 1)
    }

    @Test func `a login that fails with the device is left to the next call`() async throws {
        FaultyModule.fail("C_Login", CKR_DEVICE_ERROR)
        try await expectFailure(.keyProvider, saying: "C_Login failed with CKR_DEVICE_ERROR", "Connect the token") {
            try await unwrap()
        }
        #expect(FaultyModule.calls("C_Login") == 1)
        #expect(try await unwrap() == Self.bytes)
    }

    @Test func `a locked PIN is named, with what to do, until it is unlocked`() async throws {
        FaultyModule.fail("C_Login", CKR_PIN_LOCKED)
        try await expectFailure(.keyProvider, saying: "C_Login failed with CKR_PIN_LOCKED", "security officer") {
            try await unwrap()
        }
        #expect(try await unwrap() == Self.bytes)
    }

    @Test func `the last attempt before a lock is not taken`() async throws {
        FaultyModule.plan.withLock { $0.flags = CKF_USER_PIN_FINAL_TRY }
        try await expectFailure(.keyProvider, saying: "One more wrong PIN locks") { try await unwrap() }
        #expect(FaultyModule.calls("C_Login") == 0)
    }

    @Test(arguments: ["", "\n", "271828\n\n", "271828\n314159", "\u{FEFF}\t"])
    func `what is no PIN is not tried`(pin: String) async throws {
        try await expectFailure(.keySource, saying: "empty or has several lines") { try await unwrap(pin: pin) }
        #expect(FaultyModule.calls("C_Login") == 0)
    }

    @Test func `the PIN is read for a login alone, and its line break left out`() async throws {
        let readings = Locked(0)
        let key = try key(pin: "271828\r\n") { readings.withLock { $0 += 1 } }
        for _ in 0..<3 { #expect(try await key.unwrap(wrapped, context: Self.context) == Self.bytes) }
        #expect(readings.withLock { $0 } == 1)
        try test.closeAllSessions()
        #expect(try await key.unwrap(wrapped, context: Self.context) == Self.bytes)
        #expect(readings.withLock { $0 } == 2)
    }

    @Test func `a source that fails is named`() async throws {
        struct Refusal: Error, CustomStringConvertible { let description = "the vault is sealed" }
        let (label, module) = (test.label, module)
        let token = try PKCS11Token(TokenName(label: label, serial: nil), { throw Refusal() }, module: { module })
        let key = try token.aesKey(label: "key")
        try await expectFailure(.keySource, saying: "the vault is sealed", label) {
            try await key.unwrap(wrapped, context: Self.context)
        }
    }

    // MARK: Sessions

    private static let losses = [
        CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_USER_NOT_LOGGED_IN, CKR_TOKEN_NOT_PRESENT,
        CKR_DEVICE_REMOVED, CKR_DEVICE_ERROR, CKR_CRYPTOKI_NOT_INITIALIZED,
    ]

    @Test(arguments: losses, ["C_GetSessionInfo", "C_FindObjects", "C_DecryptInit", "C_Decrypt"])
    func `a lost session is replaced by one new one`(loss: CK_RV, function: String) async throws {
        #expect(try await unwrap() == Self.bytes)
        FaultyModule.fail(function, loss)
        #expect(try await unwrap() == Self.bytes)
        #expect(FaultyModule.calls("C_OpenSession") == 2 && FaultyModule.calls("C_CloseSession") == 1)
        #expect(FaultyModule.calls("C_Initialize") == (loss == CKR_CRYPTOKI_NOT_INITIALIZED ? 2 : 1))
        FaultyModule.fail(function, loss, loss)
        try await expectFailure(.keyProvider, saying: CryptokiFault.name(loss), "Connect the token", test.label) {
            try await unwrap()
        }
        #expect(FaultyModule.calls("C_OpenSession") == 3)
        #expect(try await unwrap() == Self.bytes)
    }

    @Test func `sessions that the program closes are replaced, and logged in again`() async throws {
        #expect(try await unwrap() == Self.bytes)
        try test.closeAllSessions()
        #expect(try await unwrap() == Self.bytes)
        #expect(FaultyModule.calls("C_Login") == 2)
    }

    @Test func `a logout between calls is noticed`() async throws {
        #expect(try await unwrap() == Self.bytes)
        try test.session { session in try module.call("C_Logout", module.functions.C_Logout) { $0(session) } }
        #expect(try await unwrap() == Self.bytes)
        #expect(FaultyModule.calls("C_OpenSession") == 1 && FaultyModule.calls("C_Login") == 2)
    }

    @Test(arguments: ["C_DecryptInit", "C_Decrypt"])
    func `another failure is not tried again, and its session not used again`(function: String) async throws {
        FaultyModule.fail(function, CKR_GENERAL_ERROR)
        try await expectFailure(.keyProvider, saying: "\(function) failed with CKR_GENERAL_ERROR") {
            try await unwrap()
        }
        #expect(FaultyModule.calls("C_OpenSession") == 1 && FaultyModule.calls("C_CloseSession") == 1)
        #expect(try await unwrap() == Self.bytes)
    }

    @Test func `all threads share four sessions and one login`() async throws {
        try await openAllSessions()
        #expect(FaultyModule.calls("C_OpenSession") == TokenSessions.most)
        #expect(FaultyModule.calls("C_Login") == 1)
    }

    @Test func `when all sessions are lost, one call replaces them`() async throws {
        try await openAllSessions()
        try test.closeAllSessions()
        #expect(try await unwrap() == Self.bytes)
        #expect(FaultyModule.calls("C_OpenSession") == TokenSessions.most + 1)
    }

    @Test func `a token without a session left is named, and none counts as used that was not opened`() async throws {
        let vault = try vault(within: .seconds(30))
        try await vault.keep("first")
        try test.closeAllSessions()
        for _ in 0...TokenSessions.most {
            FaultyModule.fail("C_OpenSession", CKR_SESSION_COUNT)
            try await expectFailure(.keyProvider, saying: "CKR_SESSION_COUNT", "no session left") {
                try await vault.open()
            }
        }
        #expect(try await vault.lines() == ["first"])
    }

    /// A vault with the token's key.
    private func vault(within timeout: Duration = .seconds(60)) throws -> Vault {
        let key = try Key.external(key(), timeout: timeout)
        var vault = Vault().with(\.protection, .envelope)
        vault.keyChain = { _ in try KeyChain(key) }
        return vault
    }

    /// Lets twice as many databases be opened at once as there are sessions.
    private func openAllSessions() async throws {
        FaultyModule.plan.withLock { $0.isBlocked = true }
        let openings = try (0..<2 * TokenSessions.most).map { _ in
            let vault = try vault()
            return Task { try await vault.keep("first") }
        }
        while FaultyModule.calls("C_Encrypt") < TokenSessions.most { try await Task.sleep(for: .milliseconds(5)) }
        // Time in which more would come, if they could.
        try await Task.sleep(for: .milliseconds(200))
        FaultyModule.plan.withLock { $0.isBlocked = false }
        for opening in openings { _ = try await opening.value }
    }

    // MARK: Modules

    @Test(arguments: [1, 1 << 40, -1, -32, Int.min])
    func `a length that is not true is refused`(extra: Int) async throws {
        let key = try key()
        #expect(try await unwrap() == Self.bytes)
        FaultyModule.plan.withLock { $0.extraLength = extra }
        for function in ["C_Decrypt", "C_Encrypt", "C_FindObjects"] {
            FaultyModule.plan.withLock { $0.lying = function }
            try await expectFailure(.keyProvider, "\(function)") {
                if function == "C_Encrypt" {
                    _ = try await key.wrap(Self.bytes, context: Self.context)
                } else {
                    _ = try await key.unwrap(wrapped, context: Self.context)
                }
            }
        }
        FaultyModule.plan.withLock { $0.lying = nil }
        #expect(try await unwrap() == Self.bytes)
    }

    @Test func `a module without AES-GCM wraps by AES key wrap, and one without either is named`() async throws {
        let key = try key()
        FaultyModule.plan.withLock { $0.missing = [CKM_AES_GCM] }
        let other = try await key.wrap(Self.bytes, context: Self.context)
        #expect(other.first == 2)
        FaultyModule.plan.withLock { $0.missing = [CKM_AES_GCM, CKM_AES_KEY_WRAP] }
        try await expectFailure(.keyProvider, saying: "CKM_AES_GCM", "CKM_AES_KEY_WRAP") {
            try await key.wrap(Self.bytes, context: Self.context)
        }
        // What is wrapped is unwrapped by its own form.
        FaultyModule.plan.withLock { $0.missing = [] }
        #expect(try await key.unwrap(other, context: Self.context) == Self.bytes)
        #expect(try await key.unwrap(wrapped, context: Self.context) == Self.bytes)
    }

    @Test func `a module that cannot be used by threads, or is another version's, is named`() throws {
        FaultyModule.fail("C_Initialize", CKR_CANT_LOCK)
        let functions = module.functions
        try expectFailure(.keyProvider, saying: "CKR_CANT_LOCK", "/module", "threads") {
            try CryptokiModule("/module", functions: functions)
        }
        var old = functions
        old.version.major = 1
        try expectFailure(.keyProvider, saying: "version 1 of PKCS#11") {
            try CryptokiModule("/module", functions: old)
        }
    }

    @Test func `a function that a module does not have is named`() async throws {
        var functions = module.functions
        functions.C_Decrypt = nil
        let token = try test.token(of: CryptokiModule("/module", functions: functions))
        let key = try token.aesKey(label: "key")
        try await expectFailure(.keyProvider, saying: "C_Decrypt failed with CKR_FUNCTION_NOT_SUPPORTED") {
            try await key.unwrap(wrapped, context: Self.context)
        }
    }

    @Test func `the list of functions is that of the module's own names`() throws {
        let (functions, path) = (try SoftHSM.module().functions, try #require(SoftHSM.path))
        let library = try #require(dlopen(path, RTLD_NOW))
        let named: [(String, UnsafeRawPointer?)] = [
            ("C_Initialize", unsafeBitCast(functions.C_Initialize, to: UnsafeRawPointer?.self)),
            ("C_GetTokenInfo", unsafeBitCast(functions.C_GetTokenInfo, to: UnsafeRawPointer?.self)),
            ("C_Login", unsafeBitCast(functions.C_Login, to: UnsafeRawPointer?.self)),
            ("C_GetAttributeValue", unsafeBitCast(functions.C_GetAttributeValue, to: UnsafeRawPointer?.self)),
            ("C_FindObjectsFinal", unsafeBitCast(functions.C_FindObjectsFinal, to: UnsafeRawPointer?.self)),
            ("C_Decrypt", unsafeBitCast(functions.C_Decrypt, to: UnsafeRawPointer?.self)),
            ("C_UnwrapKey", unsafeBitCast(functions.C_UnwrapKey, to: UnsafeRawPointer?.self)),
            ("C_WaitForSlotEvent", unsafeBitCast(functions.C_WaitForSlotEvent, to: UnsafeRawPointer?.self)),
        ]
        for (name, function) in named {
            #expect(function == dlsym(library, name).map { UnsafeRawPointer($0) }, "\(name)")
        }
    }
}

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

    private func key(
        pin: String = TestToken.pin, serial: String? = nil, reading: @escaping @Sendable () -> Void = {}
    ) throws -> any KeyProvider {
        try test.token(pin: pin, of: module, serial: serial, reading: reading).aesKey(label: "key")
    }

    private func unwrap(pin: String = TestToken.pin, serial: String? = nil) async throws -> [UInt8] {
        try await key(pin: pin, serial: serial).unwrap(wrapped, context: Self.context)
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
            if expected == 2, FaultyModule.calls("C_Login") == 1 {
                try test.session { _ in }
                // Otherwise the library's session is logged in as well.
                try test.closeAllSessions()
            }
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

    private static let unclear = [
        CKR_DEVICE_ERROR, CKR_GENERAL_ERROR, CKR_FUNCTION_FAILED, CKR_USER_NOT_LOGGED_IN, CKR_TOKEN_NOT_PRESENT,
        CKR_DEVICE_REMOVED,
    ]

    @Test(arguments: unclear)
    func `a PIN that may have been counted is not tried again before a time has passed`(result: CK_RV) async throws {
        FaultyModule.fail("C_Login", result)
        for consequence in ["once more after a minute", "It was not tried again"] {
            try await expectFailure(
                .keyProvider, saying: "may have been counted", CryptokiFault.name(result), consequence, test.label
            ) {
                try await unwrap()
            }
        }
        #expect(FaultyModule.calls("C_Login") == 1)
        // Another one of the source is.
        try await expectFailure(.keyProvider, saying: "CKR_PIN_INCORRECT") { try await unwrap(pin: TestToken.otherPIN) }
        #expect(FaultyModule.calls("C_Login") == 2)
    }

    @Test(arguments: unclear)
    func `then it is tried once more, and logs in, or never`(result: CK_RV) async throws {
        for failures in 1...2 {
            try test.closeAllSessions()
            let token = try test.token(of: FaultyModule.make(loginPause: .zero))
            let key = try token.aesKey(label: "key")
            for _ in 0..<failures {
                FaultyModule.fail("C_Login", result)
                try await expectFailure(.keyProvider, saying: "may have been counted") {
                    try await key.unwrap(wrapped, context: Self.context)
                }
            }
            if failures == 1 {
                #expect(try await key.unwrap(wrapped, context: Self.context) == Self.bytes)
            } else {
                try await expectFailure(.keyProvider, saying: "It was not tried again") {
                    try await key.unwrap(wrapped, context: Self.context)
                }
            }
            #expect(FaultyModule.calls("C_Login") == 2)
        }
    }

    @Test func `a PIN that the token reports as wrong is not tried once more, whatever the result was`() async throws {
        let key = try test.token(of: FaultyModule.make(loginPause: .zero)).aesKey(label: "key")
        FaultyModule.plan.withLock { $0.flags = CKF_USER_PIN_COUNT_LOW }
        FaultyModule.fail("C_Login", CKR_GENERAL_ERROR)
        for _ in 0..<2 {
            try await expectFailure(.keyProvider, saying: "CKR_GENERAL_ERROR") {
                try await key.unwrap(wrapped, context: Self.context)
            }
        }
        #expect(FaultyModule.calls("C_Login") == 1)
        FaultyModule.plan.withLock { $0.flags = 0 }
        #expect(try await key.unwrap(wrapped, context: Self.context) == Self.bytes, "a login elsewhere was right")
    }

    @Test(arguments: [CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_CRYPTOKI_NOT_INITIALIZED])
    func `a login that has not reached the token is tried in a new session`(result: CK_RV) async throws {
        FaultyModule.fail("C_Login", result)
        #expect(try await unwrap() == Self.bytes)
        #expect(FaultyModule.calls("C_Login") == 2 && FaultyModule.calls("C_OpenSession") == 2)
    }

    @Test func `a token is known by its own name, not by that of the program`() async throws {
        try await expectFailure(.keyProvider, saying: "CKR_PIN_INCORRECT") { try await unwrap(pin: TestToken.otherPIN) }
        try await expectFailure(.keyProvider, saying: "not tried again") {
            try await unwrap(pin: TestToken.otherPIN, serial: test.serial)
        }
        #expect(FaultyModule.calls("C_Login") == 1)
        #expect(try await unwrap() == Self.bytes)
        #expect(try await unwrap(serial: test.serial) == Self.bytes)
        #expect(FaultyModule.calls("C_Login") == 2 && FaultyModule.calls("C_OpenSession") == 1)
    }

    @Test func `a token without a PIN, and one that asks for it itself, are refused`() async throws {
        FaultyModule.plan.withLock { $0.missingFlags = CKF_LOGIN_REQUIRED }
        try await expectFailure(.keyProvider, saying: "No PIN protects", test.label) { try await unwrap() }
        FaultyModule.plan.withLock { ($0.missingFlags, $0.flags) = (0, CKF_PROTECTED_AUTHENTICATION_PATH) }
        try await expectFailure(.keyProvider, saying: "entered at its reader", test.label) { try await unwrap() }
        #expect(FaultyModule.calls("C_OpenSession") == 0)
    }

    @Test(arguments: [
        CKR_PIN_EXPIRED, CKR_USER_PIN_NOT_INITIALIZED, CKR_USER_ANOTHER_ALREADY_LOGGED_IN, CKR_USER_TOO_MANY_TYPES,
    ])
    func `a PIN that was right, or not compared, can be tried again`(result: CK_RV) async throws {
        FaultyModule.fail("C_Login", result)
        try await expectFailure(.keyProvider, saying: CryptokiFault.name(result)) { try await unwrap() }
        #expect(try await unwrap() == Self.bytes)
    }

    @Test func `a call that is cancelled while its PIN is read does not log in`() async throws {
        let key = try key { withUnsafeCurrentTask { $0?.cancel() } }
        let (wrapped, context) = (wrapped, Self.context)
        await #expect(throws: CancellationError.self) {
            try await Task { try await key.unwrap(wrapped, context: context) }.value
        }
        #expect(FaultyModule.calls("C_Login") == 0)
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
        FaultyModule.plan.withLock { $0.flags = CKF_USER_PIN_LOCKED }
        try await expectFailure(.keyProvider, saying: "CKR_PIN_LOCKED", "security officer") { try await unwrap() }
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
        // A handle that is void may be another session's by now.
        let isOpen = [CKR_USER_NOT_LOGGED_IN, CKR_DEVICE_ERROR].contains(loss)
        #expect(FaultyModule.calls("C_OpenSession") == 2 && FaultyModule.calls("C_CloseSession") == (isOpen ? 1 : 0))
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

    @Test(arguments: ["C_DecryptInit", "C_Decrypt", "C_FindObjects"], [CKR_GENERAL_ERROR, CKR_BUFFER_TOO_SMALL])
    func `another failure is not tried again, and its session replaced before it is closed`(
        function: String, result: CK_RV
    ) async throws {
        for count in 1...3 {
            FaultyModule.fail(function, result)
            try await expectFailure(.keyProvider, saying: "\(function) failed with \(CryptokiFault.name(result))") {
                try await unwrap()
            }
            #expect(FaultyModule.calls("C_OpenSession") == 1 + count && FaultyModule.calls("C_CloseSession") == count)
            #expect(try await unwrap() == Self.bytes)
        }
        #expect(FaultyModule.calls("C_Login") == 1)
    }

    @Test func `an envelope that was changed costs no login`() async throws {
        let key = try key()
        for index in wrapped.indices {
            var changed = wrapped
            changed[index] ^= 0x80
            try await expectFailure(.keyProvider) { [changed] in
                try await key.unwrap(changed, context: Self.context)
            }
        }
        #expect(try await unwrap() == Self.bytes)
        #expect(FaultyModule.calls("C_Login") == 1)
    }

    @Test func `a secret that the module does not destroy ends with its session`() async throws {
        let key = try key()
        FaultyModule.plan.withLock { $0.missing = [CKM_AES_GCM] }
        FaultyModule.fail("C_DestroyObject", CKR_GENERAL_ERROR)
        let other = try await key.wrap(Self.bytes, context: Self.context)
        #expect(FaultyModule.calls("C_CloseSession") == 1)
        FaultyModule.fail("C_DestroyObject", CKR_GENERAL_ERROR)
        #expect(try await key.unwrap(other, context: Self.context) == Self.bytes)
        #expect(FaultyModule.calls("C_CloseSession") == 2 && FaultyModule.calls("C_Login") == 1)
    }

    @Test func `a session that was in use when another one was lost is not used again`() async throws {
        FaultyModule.plan.withLock { $0.isBlocked = true }
        let vault = try vault()
        let opening = Task { try await vault.keep("first") }
        while FaultyModule.calls("C_Encrypt") < 1 { try await Task.sleep(for: .milliseconds(5)) }
        FaultyModule.fail("C_Decrypt", CKR_DEVICE_ERROR)
        #expect(try await unwrap() == Self.bytes)
        #expect(FaultyModule.calls("C_OpenSession") == 3 && FaultyModule.calls("C_CloseSession") == 1)
        FaultyModule.plan.withLock { $0.isBlocked = false }
        _ = try await opening.value
        #expect(FaultyModule.calls("C_OpenSession") == 3 && FaultyModule.calls("C_CloseSession") == 2)
    }

    @Test func `a call that waits for a session can be cancelled`() async throws {
        FaultyModule.plan.withLock { $0.isBlocked = true }
        let openings = try (0..<TokenSessions.most).map { _ in
            let vault = try vault()
            return Task { try await vault.keep("first") }
        }
        while FaultyModule.calls("C_Encrypt") < TokenSessions.most { try await Task.sleep(for: .milliseconds(5)) }
        let (key, wrapped, context) = (try key(), wrapped, Self.context)
        let waiting = (0..<8).map { _ in Task { try await key.unwrap(wrapped, context: context) } }
        try await Task.sleep(for: .milliseconds(100))
        for task in waiting { task.cancel() }
        // Without a cancellation they would end some time, so that the test does, too.
        let end = Task {
            try await Task.sleep(for: .seconds(20))
            FaultyModule.plan.withLock { $0.isBlocked = false }
        }
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
        end.cancel()
        FaultyModule.plan.withLock { $0.isBlocked = false }
        for opening in openings { _ = try await opening.value }
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

    @Test func `what has another length than its form does not reach the module`() async throws {
        try test.makeRSAKeyPair("pair")
        let pair = try test.token(of: module).rsaKeyPair(label: "pair")
        for form in 1...4 as ClosedRange<UInt8> {
            let key = try form < 3 ? key() : pair
            let length = [60, 56, 256, 256][Int(form) - 1]
            for count in [0, 1, 11, 12, 16, 55, 59, 63, 64, 255, 257, 4_095] where count != length {
                try await expectFailure(.keyProvider, saying: "\(length) were expected") {
                    try await key.unwrap([form] + [UInt8](repeating: 7, count: count), context: Self.context)
                }
            }
        }
        #expect(FaultyModule.calls("C_DecryptInit") == 0 && FaultyModule.calls("C_UnwrapKey") == 0)
    }

    @Test func `the length of a modulus is that of its number, and not trusted`() async throws {
        try test.makeRSAKeyPair("pair")
        let pair = try test.token(of: module).rsaKeyPair(label: "pair")
        for length in [CK_ULONG.max, CK_ULONG.max / 8, 4_097] {
            FaultyModule.plan.withLock { $0.modulus = { $0.ulValueLen = length } }
            try await expectFailure(.keyProvider, saying: "CKA_MODULUS") {
                try await pair.wrap(Self.bytes, context: Self.context)
            }
        }
        for (length, bits) in [(0 as CK_ULONG, "0 bits"), (255, "2040 bits"), (4_096, "32768 bits")] {
            FaultyModule.plan.withLock { plan in
                plan.modulus = { attribute in
                    let bytes = attribute.pValue.assumingMemoryBound(to: UInt8.self)
                    bytes[0] |= 0x80
                    attribute.ulValueLen = length
                }
            }
            try await expectFailure(.keyProvider, saying: bits) {
                try await pair.wrap(Self.bytes, context: Self.context)
            }
        }
        // As a signed number.
        FaultyModule.plan.withLock { plan in
            plan.modulus = { attribute in
                memmove(attribute.pValue + 1, attribute.pValue, Int(attribute.ulValueLen))
                attribute.pValue.storeBytes(of: 0, as: UInt8.self)
                attribute.ulValueLen += 1
            }
        }
        let wrapped = try await pair.wrap(Self.bytes, context: Self.context)
        #expect(wrapped.count == 257)
        #expect(try await pair.unwrap(wrapped, context: Self.context) == Self.bytes)
    }

    @Test func `a module that encrypts what its token does not decrypt wraps by the other hash`() async throws {
        try test.makeRSAKeyPair("pair")
        let pair = try test.token(of: module).rsaKeyPair(label: "pair")
        FaultyModule.plan.withLock { $0.encryptsSHA256 = true }
        let wrapped = try await pair.wrap(Self.bytes, context: Self.context)
        #expect(wrapped.first == 4 && FaultyModule.calls("C_EncryptInit") == 2)
        #expect(try await pair.unwrap(wrapped, context: Self.context) == Self.bytes)
    }

    @Test func `a module that is slow to initialise does not stop another one`() async throws {
        FaultyModule.plan.withLock { $0.isBlocked = true }
        let slow = CryptokiModule("/slow", functions: module.functions, listing: module.listing)
        let outcome = Locked<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let result = Result { try slow.initialise() }
            outcome.withLock { $0 = result }
        }
        while FaultyModule.calls("C_Initialize") < 2 { try await Task.sleep(for: .milliseconds(5)) }
        // Without an own lock it would wait for that, so that the test ends, too.
        let end = Task {
            try await Task.sleep(for: .seconds(20))
            FaultyModule.plan.withLock { $0.isBlocked = false }
        }
        try test.module.initialise(again: true)
        #expect(outcome.withLock { $0 == nil })
        end.cancel()
        FaultyModule.plan.withLock { $0.isBlocked = false }
        while outcome.withLock({ $0 == nil }) { try await Task.sleep(for: .milliseconds(5)) }
        try outcome.withLock { $0 }?.get()
    }

    @Test func `control characters of a token are not in messages`() {
        var info = CK_TOKEN_INFO()
        withUnsafeMutableBytes(of: &info.label) { $0.copyBytes(from: Array("a\u{1B}[2Jb\n".utf8)) }
        #expect(TokenName(info).description == "the token \"a[2Jb\" with the serial number \"\"")
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
            try CryptokiModule("/module", functions: functions).initialise()
        }
        var old = functions
        old.version.major = 1
        try expectFailure(.keyProvider, saying: "version 1 of PKCS#11") {
            try CryptokiModule("/module", functions: old).initialise()
        }
    }

    @Test func `a function that a module does not have is named`() async throws {
        var functions = module.functions
        functions.C_Decrypt = nil
        let other = CryptokiModule("/module", functions: functions, listing: module.listing)
        let token = try test.token(of: other)
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

import CPKCS11
import Foundation
import StrongroomTesting
import Testing

// Internal: tokens are prepared, and faults planted, by the module's functions.
@testable import StrongroomPKCS11

/// SoftHSM, with its tokens in a directory of the tests.
enum SoftHSM {
    static let path = [
        "/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/softhsm/libsofthsm2.so",
        "/opt/homebrew/lib/softhsm/libsofthsm2.so",
    ].first { FileManager.default.fileExists(atPath: $0) }

    /// For the tests that need it.
    static var isInstalled: ConditionTrait {
        .enabled(if: path != nil, "SoftHSM 2 is not installed; on Debian it is the package softhsm2")
    }

    /// The module. It reads the path of its settings once, from the environment of the process.
    static func module() throws -> CryptokiModule {
        let (path, _) = (try #require(path), home)
        return try CryptokiModule.loaded(path)
    }

    private static let variable = "STRONGROOM_TEST_SOFTHSM"

    /// The directory of the tokens, which the child processes of tests have by the environment.
    static let home: String = {
        if let inherited = ProcessInfo.processInfo.environment[variable] { return inherited }
        let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        let home = "\(folder)/strongroom-softhsm-\(UUID().uuidString)"
        let settings = "directories.tokendir = \(home)/tokens\nobjectstore.backend = file\nlog.level = ERROR\n"
        try? FileManager.default.createDirectory(
            atPath: "\(home)/tokens", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? Data(settings.utf8).write(to: URL(filePath: "\(home)/softhsm2.conf"))
        setenv("SOFTHSM2_CONF", "\(home)/softhsm2.conf", 1)
        setenv(variable, home, 1)
        atexit { try? FileManager.default.removeItem(atPath: SoftHSM.home) }
        return home
    }()

    /// A free slot becomes a token, one at a time.
    fileprivate static let preparing = NSLock()
}

/// What the library does not need of the standard.
private enum Preparing {
    static let officer: CK_USER_TYPE = 0
    static let writing: CK_FLAGS = 0x2
    static let isInitialised: CK_FLAGS = 0x400
    static let modulusBits: CK_ATTRIBUTE_TYPE = 0x121
    static let length: CK_ATTRIBUTE_TYPE = 0x161
    static let generatesRSA: CK_MECHANISM_TYPE = 0x0
    static let generatesAES: CK_MECHANISM_TYPE = 0x1080
}

/// A new token of SoftHSM.
struct TestToken {
    let label: String
    let module: CryptokiModule
    let serial: String
    private let slot: CK_SLOT_ID

    static let pin = "271828"
    static let otherPIN = "314159"

    init(label: String = "token \(UInt32.random(in: 0...UInt32.max))") throws {
        self.label = label
        let module = try SoftHSM.module()
        self.module = module
        var officerPIN = Array("00000000".utf8)
        slot = try SoftHSM.preparing.withLock {
            let free = try #require(
                try module.slots().first { slot in
                    (try? module.tokenInfo(slot)).map { $0.flags & Preparing.isInitialised == 0 } ?? false
                })
            var padded = Array(label.utf8) + [UInt8](repeating: 0x20, count: 32 - label.utf8.count)
            try module.call("C_InitToken", module.functions.C_InitToken) { $0(free, &officerPIN, 8, &padded) }
            return free
        }
        serial = withUnsafeBytes(of: try module.tokenInfo(slot).serialNumber) { String(decoding: $0, as: UTF8.self) }
        var pin = Array(Self.pin.utf8)
        try session(Preparing.officer, "00000000") { session in
            try module.call("C_InitPIN", module.functions.C_InitPIN) { $0(session, &pin, CK_ULONG(pin.count)) }
            try module.call("C_Logout", module.functions.C_Logout) { $0(session) }
        }
    }

    /// Works in a session that may write.
    @discardableResult
    func session<T>(
        _ user: CK_USER_TYPE = CKU_USER, _ pin: String = TestToken.pin, _ work: (CK_SESSION_HANDLE) throws -> T
    ) throws -> T {
        var (session, pin): (CK_SESSION_HANDLE, [UInt8]) = (0, Array(pin.utf8))
        try module.call("C_OpenSession", module.functions.C_OpenSession) {
            $0(slot, CKF_SERIAL_SESSION | Preparing.writing, nil, nil, &session)
        }
        defer { _ = module.functions.C_CloseSession?(session) }
        do {
            try module.call("C_Login", module.functions.C_Login) { $0(session, user, &pin, CK_ULONG(pin.count)) }
        } catch CryptokiFault.failed(_, CKR_USER_ALREADY_LOGGED_IN) {}
        return try work(session)
    }

    // MARK: Keys

    enum Use: CaseIterable { case encrypt, wrap }

    func makeAESKey(
        _ label: String, id: [UInt8] = [1], for uses: [Use] = Use.allCases, isExtractable: Bool = false,
        isPrivate: Bool = true
    ) throws {
        let attributes: [Attribute] = [
            .flag(CKA_TOKEN, true), .flag(CKA_PRIVATE, isPrivate), Attribute(CKA_LABEL, Array(label.utf8)),
            Attribute(CKA_ID, id), .number(Preparing.length, 32), .flag(CKA_SENSITIVE, true),
            .flag(CKA_EXTRACTABLE, isExtractable), .flag(CKA_ENCRYPT, uses.contains(.encrypt)),
            .flag(CKA_DECRYPT, uses.contains(.encrypt)), .flag(CKA_WRAP, uses.contains(.wrap)),
            .flag(CKA_UNWRAP, uses.contains(.wrap)),
        ]
        var mechanism = CK_MECHANISM(mechanism: Preparing.generatesAES, pParameter: nil, ulParameterLen: 0)
        var key = 0 as UInt
        try session { session in
            try Attribute.withTemplate(attributes) { template, count in
                try module.call("C_GenerateKey", module.functions.C_GenerateKey) {
                    $0(session, &mechanism, template, count, &key)
                }
            }
        }
    }

    /// Makes a key of known bytes.
    func importAESKey(_ label: String, _ bytes: [UInt8]) throws {
        let attributes: [Attribute] = [
            .number(CKA_CLASS, CKO_SECRET_KEY), .number(CKA_KEY_TYPE, CKK_AES), .flag(CKA_TOKEN, true),
            .flag(CKA_PRIVATE, true), Attribute(CKA_LABEL, Array(label.utf8)), Attribute(CKA_VALUE, bytes),
            .flag(CKA_EXTRACTABLE, false), .flag(CKA_ENCRYPT, true), .flag(CKA_DECRYPT, true), .flag(CKA_WRAP, true),
            .flag(CKA_UNWRAP, true),
        ]
        var key = 0 as UInt
        try session { session in
            try Attribute.withTemplate(attributes) { template, count in
                try module.call("C_CreateObject", module.functions.C_CreateObject) {
                    $0(session, template, count, &key)
                }
            }
        }
    }

    func makeRSAKeyPair(
        _ label: String, bits: CK_ULONG = 2_048, isExtractable: Bool = false, isPrivate: Bool = true,
        asksAlways: Bool = false
    ) throws {
        let common = [.flag(CKA_TOKEN, true), Attribute(CKA_LABEL, Array(label.utf8)), Attribute(CKA_ID, [2])]
        let published: [Attribute] = common + [.number(Preparing.modulusBits, bits), .flag(CKA_ENCRYPT, true)]
        let kept: [Attribute] =
            common + [
                .flag(CKA_PRIVATE, isPrivate), .flag(CKA_SENSITIVE, true), .flag(CKA_EXTRACTABLE, isExtractable),
                .flag(CKA_DECRYPT, true), .flag(CKA_ALWAYS_AUTHENTICATE, asksAlways),
            ]
        var mechanism = CK_MECHANISM(mechanism: Preparing.generatesRSA, pParameter: nil, ulParameterLen: 0)
        var keys = (0 as UInt, 0 as UInt)
        try session { session in
            try Attribute.withTemplate(published) { published, publishedCount in
                try Attribute.withTemplate(kept) { kept, keptCount in
                    try module.call("C_GenerateKeyPair", module.functions.C_GenerateKeyPair) {
                        $0(session, &mechanism, published, publishedCount, kept, keptCount, &keys.0, &keys.1)
                    }
                }
            }
        }
    }

    /// Deletes the secret key with a label.
    func deleteAESKey(_ label: String) throws {
        var (key, count) = (0 as UInt, 0 as UInt)
        try session { session in
            try Attribute.withTemplate([
                .number(CKA_CLASS, CKO_SECRET_KEY), Attribute(CKA_LABEL, Array(label.utf8)),
                .flag(CKA_PRIVATE, true),
            ]) { template, count in
                try module.call("C_FindObjectsInit", module.functions.C_FindObjectsInit) {
                    $0(session, template, count)
                }
            }
            try module.call("C_FindObjects", module.functions.C_FindObjects) { $0(session, &key, 1, &count) }
            try module.call("C_FindObjectsFinal", module.functions.C_FindObjectsFinal) { $0(session) }
            try module.call("C_DestroyObject", module.functions.C_DestroyObject) { $0(session, key) }
        }
        try #require(count == 1)
    }

    // MARK: Faults

    /// Closes all sessions of the process with the token, as another part of the program may.
    func closeAllSessions() throws {
        try module.call("C_CloseAllSessions", module.functions.C_CloseAllSessions) { $0(slot) }
    }

    /// The directory of the token.
    var directory: String {
        get throws {
            let folder = "\(SoftHSM.home)/tokens"
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            // It ends with the token's serial number, without hyphens.
            let name = names.first { $0.filter { $0 != "-" }.hasSuffix(serial) }
            return "\(folder)/\(try #require(name))"
        }
    }

    /// The token as a program has it.
    ///
    /// - Parameter module: Nil for SoftHSM as it is.
    func token(
        pin: String = TestToken.pin, of module: CryptokiModule? = nil, serial: String? = nil,
        reading: @escaping @Sendable () -> Void = {}
    ) throws -> PKCS11Token {
        let module = module ?? self.module
        return try PKCS11Token(
            TokenName(label: label, serial: serial),
            {
                reading()
                return Array(pin.utf8)
            }, module: { module })
    }
}

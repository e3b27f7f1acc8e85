import CPKCS11
import Foundation
import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A PKCS#11 module that is loaded and initialised, until the process ends: `C_Finalize` would close the sessions of
/// everything else in the process that uses the module.
final class CryptokiModule: @unchecked Sendable {  // constant; the module has its own locks by CKF_OS_LOCKING_OK
    let path: String
    let functions: CK_FUNCTION_LIST
    private let tokens = Locked<[TokenName: TokenSessions]>([:])

    /// Initialises a module.
    init(_ path: String, functions: CK_FUNCTION_LIST) throws {
        (self.path, self.functions) = (path, functions)
        guard [2, 3].contains(functions.version.major) else {
            throw Self.unusable(path, "has version \(functions.version.major) of PKCS#11; one with 2 or 3 is needed")
        }
        do { try initialise() } catch let fault as CryptokiFault { throw fault.error("the module \"\(path)\"") }
    }

    // A lock that may be held for long, unlike `Locked`: C_Initialize must not run twice at a time.
    private static let loading = NSLock()
    private nonisolated(unsafe) static var loadedModules: [String: CryptokiModule] = [:]  // guarded by `loading`

    /// The module of a path, which is loaded by the first call that succeeds.
    static func loaded(_ path: String) throws -> CryptokiModule {
        try loading.withLock {
            if let known = loadedModules[path] { return known }
            let module = try CryptokiModule(path, functions: functionList(path))
            loadedModules[path] = module
            return module
        }
    }

    private static func functionList(_ path: String) throws -> CK_FUNCTION_LIST {
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? "the system gives no reason"
            throw unusable(path, "cannot be loaded (\(reason)); install it, or correct the path")
        }
        guard let symbol = dlsym(library, "C_GetFunctionList") else {
            throw unusable(path, "has no C_GetFunctionList; give the path of a PKCS#11 module")
        }
        var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
        let result = unsafeBitCast(symbol, to: CK_C_GetFunctionList.self)(&list)
        guard result == CKR_OK, let list else {
            throw unusable(path, "has no functions (\(CryptokiFault.name(result))); install another version of it")
        }
        return list.pointee
    }

    private static func unusable(_ path: String, _ reason: String) -> StrongroomError {
        StrongroomError(.keyProvider, "The PKCS#11 module \"\(path)\" \(reason).")
    }

    /// Initialises the module again, as after a fork.
    func initialiseAgain() throws { try Self.loading.withLock { try initialise() } }

    private func initialise() throws {
        var arguments = CK_C_INITIALIZE_ARGS()
        arguments.flags = CKF_OS_LOCKING_OK
        do {
            try call("C_Initialize", functions.C_Initialize) { $0(&arguments) }
        } catch CryptokiFault.failed(_, CKR_CRYPTOKI_ALREADY_INITIALIZED) {
            // Something else in the process uses it, too.
        }
    }

    /// Calls a function of the module.
    ///
    /// - Throws: ``CryptokiFault`` if it does not return CKR_OK.
    func call<Function>(_ name: String, _ function: Function?, _ body: (Function) -> CK_RV) throws {
        let result = function.map(body) ?? CKR_FUNCTION_NOT_SUPPORTED
        guard result == CKR_OK else { throw CryptokiFault.failed(name, result) }
    }

    /// The sessions with a token, which all keys of the process share: a login is one for all of them.
    func sessions(_ token: TokenName) -> TokenSessions {
        tokens.withLock { tokens in
            if let known = tokens[token] { return known }
            let sessions = TokenSessions(self, token)
            tokens[token] = sessions
            return sessions
        }
    }

    func tokenInfo(_ slot: CK_SLOT_ID) throws -> CK_TOKEN_INFO {
        var info = CK_TOKEN_INFO()
        try call("C_GetTokenInfo", functions.C_GetTokenInfo) { $0(slot, &info) }
        return info
    }

    /// The slots that have a token.
    func slots() throws -> [CK_SLOT_ID] {
        var count: CK_ULONG = 0
        // A call without a buffer has some modules search for tokens again.
        try call("C_GetSlotList", functions.C_GetSlotList) { $0(1, nil, &count) }
        // Some more, for tokens that are connected meanwhile.
        let capacity = Int(min(count, 1_000)) + 8
        var slots = [CK_SLOT_ID](repeating: 0, count: capacity)
        count = CK_ULONG(capacity)
        try call("C_GetSlotList", functions.C_GetSlotList) { $0(1, &slots, &count) }
        return Array(slots.prefix(Int(min(count, CK_ULONG(capacity)))))
    }

    /// Whether a slot's token has a mechanism for all of some uses.
    func supports(_ mechanism: CK_MECHANISM_TYPE, _ uses: CK_FLAGS, _ slot: CK_SLOT_ID) -> Bool {
        var info = CK_MECHANISM_INFO()
        let result = functions.C_GetMechanismInfo?(slot, mechanism, &info)
        return result == CKR_OK && info.flags & uses == uses
    }
}

/// What a token is found by.
struct TokenName: Hashable, CustomStringConvertible {
    let label: String
    let serial: String?

    var description: String { "the token \"\(label)\"" + (serial.map { " with the serial number \"\($0)\"" } ?? "") }

    func fits(_ info: CK_TOKEN_INFO) -> Bool {
        label == Self.label(info) && (serial == nil || serial == Self.text(info.serialNumber))
    }

    static func label(_ info: CK_TOKEN_INFO) -> String { text(info.label) }

    /// A text of a fixed length, filled with blanks.
    private static func text<Bytes>(_ bytes: Bytes) -> String {
        withUnsafeBytes(of: bytes) { bytes in
            let end = bytes.lastIndex { $0 != 0x20 && $0 != 0 }.map { $0 + 1 } ?? 0
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
    }
}

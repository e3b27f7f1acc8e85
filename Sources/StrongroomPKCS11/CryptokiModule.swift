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
final class CryptokiModule: @unchecked Sendable {  // `isInitialised` is guarded by `initialising`; else constant
    let path: String
    let functions: CK_FUNCTION_LIST
    /// The time after which a PIN is tried once more when the token did not say that it was wrong.
    let loginPause: Duration
    // SoftHSM ends the process if two threads find a new token at once.
    let listing: NSLock
    private let tokens = Locked<[TokenName: TokenSessions]>([:])
    // A lock that may be held for long, unlike `Locked`: C_Initialize must not run twice at a time.
    private let initialising = NSLock()
    private var isInitialised = false

    init(
        _ path: String, functions: CK_FUNCTION_LIST, loginPause: Duration = .seconds(60), listing: NSLock = NSLock()
    ) {
        (self.path, self.functions, self.loginPause, self.listing) = (path, functions, loginPause, listing)
    }

    private struct Known {
        var paths: [String: CryptokiModule] = [:]
        /// By its list of functions, which is the same by every path.
        var lists: [UnsafeMutablePointer<CK_FUNCTION_LIST>: CryptokiModule] = [:]
    }

    private static let known = Locked(Known())

    /// The module of a path, loaded and initialised by the first call that succeeds.
    static func loaded(_ path: String) throws -> CryptokiModule {
        let module: CryptokiModule
        if let loaded = known.withLock({ $0.paths[path] }) {
            module = loaded
        } else {
            let list = try functionList(path)
            module = known.withLock { known in
                let module = known.lists[list] ?? CryptokiModule(path, functions: list.pointee)
                (known.lists[list], known.paths[path]) = (module, module)
                return module
            }
        }
        try module.initialise()
        return module
    }

    private static func functionList(_ path: String) throws -> UnsafeMutablePointer<CK_FUNCTION_LIST> {
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
        return list
    }

    private static func unusable(_ path: String, _ reason: String) -> StrongroomError {
        StrongroomError(.keyProvider, "The PKCS#11 module \"\(path)\" \(reason).")
    }

    /// Initialises the module.
    ///
    /// - Parameter again: Also if it is already, as after a fork; it has none of the sessions then.
    func initialise(again: Bool = false) throws {
        try initialising.withLock {
            guard again || !isInitialised else { return }
            guard [2, 3].contains(functions.version.major) else {
                throw Self.unusable(
                    path, "has version \(functions.version.major) of PKCS#11; one with 2 or 3 is needed")
            }
            var arguments = CK_C_INITIALIZE_ARGS()
            arguments.flags = CKF_OS_LOCKING_OK
            do {
                try call("C_Initialize", functions.C_Initialize) { $0(&arguments) }
            } catch CryptokiFault.failed(_, CKR_CRYPTOKI_ALREADY_INITIALIZED) {
                // Something else in the process uses it, too. Whether with locks cannot be found out: the guide
                // requires it.
            } catch let fault as CryptokiFault { throw fault.error("the module \"\(path)\"") }
            isInitialised = true
        }
        if again { for sessions in tokens.withLock({ Array($0.values) }) { sessions.forget() } }
    }

    /// Calls a function of the module.
    ///
    /// - Throws: ``CryptokiFault`` if it does not return CKR_OK.
    func call<Function>(_ name: String, _ function: Function?, _ body: (Function) -> CK_RV) throws {
        let result = function.map(body) ?? CKR_FUNCTION_NOT_SUPPORTED
        guard result == CKR_OK else { throw CryptokiFault.failed(name, result) }
    }

    // MARK: Tokens

    /// Runs work in a session with a token that is logged in; once more in a new session, if the first was lost.
    ///
    /// - Throws: As ``TokenSessions/perform(in:pin:_:)``, but for ``CryptokiFault``.
    func perform<T>(
        _ token: TokenName, pin readPIN: () async throws -> SecretBytes, _ work: (CryptokiSession) throws -> T
    ) async throws -> T {
        func attempt() async throws -> T {
            let (slot, info) = try find(token)
            // Not by what the token is looked up by: keys by every name share its login and what is known of its PIN.
            let sessions = tokens.withLock { [name = TokenName(info)] tokens in
                let sessions = tokens[name] ?? TokenSessions(self, name)
                tokens[name] = sessions
                return sessions
            }
            return try await sessions.perform(in: slot, pin: readPIN, work)
        }
        do {
            do { return try await attempt() } catch let fault as CryptokiFault where fault.isLoss {
                if fault.result == CKR_CRYPTOKI_NOT_INITIALIZED { try initialise(again: true) }
                return try await attempt()
            }
        } catch let fault as CryptokiFault { throw fault.error("\(token) of the module \"\(path)\"") }
    }

    /// The slot of a token, which is another one after the token was connected again.
    private func find(_ token: TokenName) throws -> (CK_SLOT_ID, CK_TOKEN_INFO) {
        // A slot whose token cannot be read has another one.
        let present = try slots().compactMap { slot in (try? tokenInfo(slot)).map { (slot, $0) } }
        let found = present.filter { token.fits($0.1) }
        guard found.count < 2 else {
            throw StrongroomError(
                .keyProvider,
                "The module \"\(path)\" has \(found.count) tokens that are \(token); give the serial number.")
        }
        guard let only = found.first else {
            let labels = present.map { TokenName($0.1).label }.filter { !$0.isEmpty }.prefix(8)
            let others = labels.isEmpty ? "no token" : labels.map { "\"\($0)\"" }.joined(separator: ", ")
            throw StrongroomError(
                .keyProvider,
                """
                The module "\(path)" does not have \(token); it has \(others). Connect the token or start its \
                service; some modules find it only in a new process.
                """)
        }
        guard only.1.flags & CKF_LOGIN_REQUIRED != 0 else {
            throw StrongroomError(
                .keyProvider,
                "No PIN protects \(token) (CKF_LOGIN_REQUIRED is not set). Set one with its vendor's tool.")
        }
        guard only.1.flags & CKF_PROTECTED_AUTHENTICATION_PATH == 0 else {
            throw StrongroomError(
                .keyProvider,
                """
                The PIN of \(token) is entered at its reader (CKF_PROTECTED_AUTHENTICATION_PATH), which a program \
                without a person cannot do. Connect it by a reader without a keypad.
                """)
        }
        return only
    }

    func tokenInfo(_ slot: CK_SLOT_ID) throws -> CK_TOKEN_INFO {
        var info = CK_TOKEN_INFO()
        try call("C_GetTokenInfo", functions.C_GetTokenInfo) { $0(slot, &info) }
        return info
    }

    /// The slots that have a token.
    func slots() throws -> [CK_SLOT_ID] { try listing.withLock { try listedSlots() } }

    private func listedSlots() throws -> [CK_SLOT_ID] {
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

    init(label: String, serial: String?) { (self.label, self.serial) = (label, serial) }

    init(_ info: CK_TOKEN_INFO) { self.init(label: Self.text(info.label), serial: Self.text(info.serialNumber)) }

    var description: String { "the token \"\(label)\"" + (serial.map { " with the serial number \"\($0)\"" } ?? "") }

    func fits(_ info: CK_TOKEN_INFO) -> Bool {
        let found = TokenName(info)
        return label == found.label && (serial == nil || serial == found.serial)
    }

    /// A text of a fixed length, filled with blanks. Messages show it, so that control characters are left out.
    private static func text<Bytes>(_ bytes: Bytes) -> String {
        withUnsafeBytes(of: bytes) { bytes in
            let end = bytes.lastIndex { $0 != 0x20 && $0 != 0 }.map { $0 + 1 } ?? 0
            let text = String(decoding: bytes[..<end], as: UTF8.self).unicodeScalars
            return String(String.UnicodeScalarView(text.filter { $0.properties.generalCategory != .control }))
        }
    }
}

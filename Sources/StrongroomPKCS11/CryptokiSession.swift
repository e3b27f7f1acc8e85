import CPKCS11
import Strongroom

/// A session with a token, used by one task at a time.
final class CryptokiSession {
    let module: CryptokiModule
    let slot: CK_SLOT_ID
    /// How many losses of sessions were known when it was opened.
    let generation: Int
    /// Whether it has a secret that could not be destroyed, which ends with the session.
    private(set) var isSpent = false
    private let handle: CK_SESSION_HANDLE

    init(_ module: CryptokiModule, _ slot: CK_SLOT_ID, generation: Int) throws {
        (self.module, self.slot, self.generation) = (module, slot, generation)
        var handle: CK_SESSION_HANDLE = 0
        try module.call("C_OpenSession", module.functions.C_OpenSession) {
            $0(slot, CKF_SERIAL_SESSION, nil, nil, &handle)
        }
        self.handle = handle
    }

    func close() { _ = module.functions.C_CloseSession?(handle) }

    func needsLogin() throws -> Bool {
        var info = CK_SESSION_INFO()
        try module.call("C_GetSessionInfo", module.functions.C_GetSessionInfo) { $0(handle, &info) }
        return ![CKS_RO_USER_FUNCTIONS, CKS_RW_USER_FUNCTIONS].contains(info.state)
    }

    /// Logs in, once.
    func logIn(_ pin: SecretBytes) throws {
        do {
            try module.call("C_Login", module.functions.C_Login) { function in
                pin.withUnsafeBytes { pin in
                    let bytes = UnsafeMutableRawPointer(mutating: pin.baseAddress)?.assumingMemoryBound(to: UInt8.self)
                    return function(handle, CKU_USER, bytes, CK_ULONG(pin.count))
                }
            }
        } catch CryptokiFault.failed(_, CKR_USER_ALREADY_LOGGED_IN) {
            // By something else in the process.
        }
    }

    // MARK: Objects

    /// The token's keys that have all of some attributes: at most eight of them.
    func keys(_ attributes: [Attribute]) throws -> [CK_OBJECT_HANDLE] {
        var found = [CK_OBJECT_HANDLE](repeating: 0, count: 8)
        var count: CK_ULONG = 0
        try Attribute.withTemplate([.flag(CKA_TOKEN, true)] + attributes) { template, attributeCount in
            try module.call("C_FindObjectsInit", module.functions.C_FindObjectsInit) {
                $0(handle, template, attributeCount)
            }
        }
        try module.call("C_FindObjects", module.functions.C_FindObjects) {
            $0(handle, &found, CK_ULONG(found.count), &count)
        }
        try module.call("C_FindObjectsFinal", module.functions.C_FindObjectsFinal) { $0(handle) }
        if count == 0 { try requireToken() }
        // The standard has no object with the handle 0.
        let keys = found.prefix(Int(clamping: count))
        guard count <= CK_ULONG(found.count), !keys.contains(0) else {
            throw CryptokiFault.returned("C_FindObjects", "a number of \(count), where \(keys.count) were found")
        }
        return Array(keys)
    }

    /// Without a token or a login, a search for a private object finds none.
    private func requireToken() throws {
        guard (try? module.tokenInfo(slot)) != nil else {
            throw CryptokiFault.failed("C_GetTokenInfo", CKR_TOKEN_NOT_PRESENT)
        }
        guard try !needsLogin() else { throw CryptokiFault.failed("C_FindObjects", CKR_USER_NOT_LOGGED_IN) }
    }

    /// Whether an attribute of an object is true.
    func flag(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws -> Bool {
        try value(type, of: object, count: 1) != [0]
    }

    /// The length of an RSA key's modulus, in bits. Private keys have no CKA_MODULUS_BITS.
    func modulusBits(of object: CK_OBJECT_HANDLE) throws -> Int {
        var modulus = [UInt8](repeating: 0, count: 4_096)
        let length = try modulus.withUnsafeMutableBufferPointer { bytes in
            var attribute = CK_ATTRIBUTE(
                type: CKA_MODULUS, pValue: bytes.baseAddress, ulValueLen: CK_ULONG(bytes.count))
            try module.call("C_GetAttributeValue", module.functions.C_GetAttributeValue) {
                $0(handle, object, &attribute, 1)
            }
            return attribute.ulValueLen
        }
        guard length <= CK_ULONG(modulus.count) else {
            throw CryptokiFault.returned("C_GetAttributeValue", "a length of \(length) bytes for CKA_MODULUS")
        }
        // Some modules write a zero first, as of a signed number.
        let digits = modulus.prefix(Int(length)).drop { $0 == 0 }
        return digits.first.map { digits.count * 8 - $0.leadingZeroBitCount } ?? 0
    }

    /// An object's attribute that has so many bytes.
    func value(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE, count: Int) throws -> [UInt8] {
        try output("C_GetAttributeValue", capacity: count, exactly: count) { bytes, length in
            var attribute = CK_ATTRIBUTE(type: type, pValue: bytes, ulValueLen: length)
            try module.call("C_GetAttributeValue", module.functions.C_GetAttributeValue) {
                $0(handle, object, &attribute, 1)
            }
            length = attribute.ulValueLen
        }
    }

    // MARK: Keys that wrap

    func encrypt(
        _ mechanism: UnsafeMutablePointer<CK_MECHANISM>, _ key: CK_OBJECT_HANDLE, _ data: [UInt8], count: Int
    ) throws -> [UInt8] {
        try module.call("C_EncryptInit", module.functions.C_EncryptInit) { $0(handle, mechanism, key) }
        return try process("C_Encrypt", module.functions.C_Encrypt, data, capacity: count, exactly: count)
    }

    /// - Parameter count: The length of what is encrypted, in bytes.
    func decrypt(
        _ mechanism: UnsafeMutablePointer<CK_MECHANISM>, _ key: CK_OBJECT_HANDLE, _ data: [UInt8], count: Int
    ) throws -> [UInt8] {
        try module.call("C_DecryptInit", module.functions.C_DecryptInit) { $0(handle, mechanism, key) }
        // Some modules want room for as many bytes as are decrypted.
        return try process("C_Decrypt", module.functions.C_Decrypt, data, capacity: data.count, exactly: count)
    }

    /// Wraps bytes as a secret key, which is an object of the session for that long.
    func wrapKey(
        _ mechanism: UnsafeMutablePointer<CK_MECHANISM>, _ key: CK_OBJECT_HANDLE, _ bytes: [UInt8], count: Int
    ) throws -> [UInt8] {
        var secret: CK_OBJECT_HANDLE = 0
        try Attribute.withTemplate(Attribute.readableSecret + [Attribute(CKA_VALUE, bytes)]) { template, count in
            try module.call("C_CreateObject", module.functions.C_CreateObject) { $0(handle, template, count, &secret) }
        }
        defer { destroy(secret) }
        return try output("C_WrapKey", capacity: count, exactly: count) { wrapped, length in
            try module.call("C_WrapKey", module.functions.C_WrapKey) {
                $0(handle, mechanism, key, secret, wrapped, &length)
            }
        }
    }

    func unwrapKey(
        _ mechanism: UnsafeMutablePointer<CK_MECHANISM>, _ key: CK_OBJECT_HANDLE, _ wrapped: [UInt8], count: Int
    ) throws -> [UInt8] {
        var (secret, wrapped): (CK_OBJECT_HANDLE, [UInt8]) = (0, wrapped)
        try Attribute.withTemplate(Attribute.readableSecret) { template, attributeCount in
            try module.call("C_UnwrapKey", module.functions.C_UnwrapKey) {
                $0(handle, mechanism, key, &wrapped, CK_ULONG(wrapped.count), template, attributeCount, &secret)
            }
        }
        defer { destroy(secret) }
        return try value(CKA_VALUE, of: secret, count: count)
    }

    private func destroy(_ secret: CK_OBJECT_HANDLE) {
        if module.functions.C_DestroyObject?(handle, secret) != CKR_OK { isSpent = true }
    }

    private typealias Process =
        @convention(c) (
            CK_SESSION_HANDLE, UnsafeMutablePointer<CK_BYTE>?, CK_ULONG, UnsafeMutablePointer<CK_BYTE>?,
            UnsafeMutablePointer<CK_ULONG>?
        ) -> CK_RV

    private func process(
        _ name: String, _ function: Process?, _ data: [UInt8], capacity: Int, exactly count: Int
    ) throws -> [UInt8] {
        var data = data
        // Bytes that were copied for the mutable pointer.
        defer { data.withUnsafeMutableBytes { $0.wipe() } }
        return try output(name, capacity: capacity, exactly: count) { result, length in
            try module.call(name, function) { $0(handle, &data, CK_ULONG(data.count), result, &length) }
        }
    }

    /// What a function writes into a buffer. The length that it reports is not trusted.
    private func output(
        _ name: String, capacity: Int, exactly count: Int,
        _ body: (_ bytes: UnsafeMutablePointer<CK_BYTE>?, _ length: inout CK_ULONG) throws -> Void
    ) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: capacity)
        defer { buffer.withUnsafeMutableBytes { $0.wipe() } }
        var length = CK_ULONG(capacity)
        try buffer.withUnsafeMutableBufferPointer { try body($0.baseAddress, &length) }
        guard length == CK_ULONG(count), count <= capacity else {
            throw CryptokiFault.returned(name, "a length of \(length) bytes, where \(count) were expected")
        }
        return Array(buffer.prefix(count))
    }
}

/// An attribute of an object.
struct Attribute {
    let type: CK_ATTRIBUTE_TYPE
    let bytes: [UInt8]

    init(_ type: CK_ATTRIBUTE_TYPE, _ bytes: [UInt8]) { (self.type, self.bytes) = (type, bytes) }

    static func number(_ type: CK_ATTRIBUTE_TYPE, _ number: CK_ULONG) -> Attribute {
        Attribute(type, withUnsafeBytes(of: number) { Array($0) })
    }

    static func flag(_ type: CK_ATTRIBUTE_TYPE, _ flag: Bool) -> Attribute { Attribute(type, [flag ? 1 : 0]) }

    /// A secret key of the session whose bytes can be read.
    static let readableSecret: [Attribute] = [
        .number(CKA_CLASS, CKO_SECRET_KEY), .number(CKA_KEY_TYPE, CKK_GENERIC_SECRET), .flag(CKA_TOKEN, false),
        .flag(CKA_SENSITIVE, false), .flag(CKA_EXTRACTABLE, true),
    ]

    /// Lends attributes in the form that modules take, in memory that is wiped afterwards.
    static func withTemplate<T>(
        _ attributes: [Attribute], _ body: (_ template: UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG) throws -> T
    ) rethrows -> T {
        let alignment = MemoryLayout<CK_ULONG>.alignment
        let room = attributes.map { ($0.bytes.count + alignment - 1) / alignment * alignment }
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, room.reduce(0, +)), alignment: alignment)
        defer {
            memory.wipe()
            memory.deallocate()
        }
        var offset = 0
        var template = zip(attributes, room).map { attribute, room in
            let value = UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + attribute.bytes.count])
            value.copyBytes(from: attribute.bytes)
            offset += room
            return CK_ATTRIBUTE(
                type: attribute.type, pValue: value.baseAddress, ulValueLen: CK_ULONG(value.count))
        }
        return try template.withUnsafeMutableBufferPointer { try body($0.baseAddress, CK_ULONG($0.count)) }
    }
}

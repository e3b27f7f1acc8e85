#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The text form of a chain's keys in UTF-8, one per line, oldest first: a passphrase, `raw:` and 64 hexadecimal
/// digits, `recovery:` and a recovery key, or `share:` and a share of one; all shares in the text are one key. A line
/// that is a recovery key or a share, with all of its check characters, is one without the prefix, too: it is typed
/// from paper. With a mistake it is a passphrase, but beside a share it is refused. A line that begins with
/// `-----BEGIN ` begins a key as PEM, beside which there are no passphrases: a text around PEM, as OpenSSL writes with
/// `-text`, would become one. Empty lines are ignored.
struct KeyText {
    /// The error for an invalid text.
    ///
    /// - Parameter reason: Why it is invalid, and what to do; the source's name precedes it.
    let refusal: (_ reason: String) -> StrongroomError

    /// The maximum number of bytes that are read.
    static let largest = 64 * 1024

    func keyChain(_ content: [UInt8]) throws -> KeyChain {
        let keys = try keys(in: content)
        do {
            return try KeyChain(keys)
        } catch let error as StrongroomError {
            throw StrongroomError(error.code, "\(refusal("cannot be used").message.dropLast()): \(error.message)")
        }
    }

    /// Whether bytes are valid UTF-8; a `String` would be a copy that is not wiped.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
    }

    private func requireText(_ content: [UInt8]) throws {
        guard !content.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw refusal(
                "starts with a byte order mark, which would become part of the first key; save it without one")
        }
        guard !content.contains(0), Self.isText(content) else {
            throw refusal("is not text in UTF-8; write one passphrase a line, or raw: and 64 hexadecimal digits")
        }
    }

    private func keys(in content: [UInt8]) throws -> [Key] {
        try requireText(content)
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        let hasShares = lines.contains { (try? share(in: $0, line: 1)) != nil }
        var keys: [Key] = []
        var shares: [RecoveryShare] = []
        var positionOfShares = 0
        var (endOfPEM, passphrase): (Int, Int?) = (0, nil)
        for (number, text) in lines.enumerated() where number >= endOfPEM && !text.isEmpty {
            if text.starts(with: PEM.begin) {
                let last = lines[number...].firstIndex { $0.starts(with: PEM.end) } ?? lines.count - 1
                keys.append(try pem(content[text.startIndex..<lines[last].endIndex], line: number + 1))
                endOfPEM = last + 1
                continue
            }
            try requireKey(text, line: number + 1)
            if let share = try share(in: text, line: number + 1, refusesMistakes: hasShares) {
                if shares.isEmpty { positionOfShares = keys.count }
                shares.append(share)
            } else {
                keys.append(try key(in: text, line: number + 1))
                if case .passphrase = keys.last?.material { passphrase = passphrase ?? number + 1 }
            }
        }
        if endOfPEM > 0, let passphrase { throw besidePEM(passphrase) }
        if !shares.isEmpty { keys.insert(try recoveryKey(of: shares), at: positionOfShares) }
        guard !keys.isEmpty else { throw refusal("contains no key; write one a line, oldest first") }
        return keys
    }

    private func requireKey(_ text: ArraySlice<UInt8>, line: Int) throws {
        guard text.contains(where: { $0 != 0x20 && $0 != 0x09 }) else {
            throw refusal("has only blanks in line \(line); write the key there, or remove the line")
        }
        guard !text.contains(PEM.begin), !text.contains(PEM.end) else {
            throw refusal(
                """
                has a part of a PEM key in line \(line): its first line has to begin with -----BEGIN, and its last one \
                with -----END; give the key as it was written, without indentation
                """)
        }
    }

    private func besidePEM(_ line: Int) -> StrongroomError {
        refusal(
            """
            has a PEM key, and something else in line \(line), which is not taken for a passphrase; remove the line, \
            or give passphrases without PEM
            """)
    }

    private func key(in text: ArraySlice<UInt8>, line: Int) throws -> Key {
        if let recovery = try written(in: text, .key, line: line, RecoveryKey.init(_:)) { return .recovery(recovery) }
        guard text.starts(with: Array("raw:".utf8)) else {
            let end = text.suffix(Self.rawLength + 1)
            guard text.count <= end.count || !Self.isRaw(end) else { throw severalKeys(in: line) }
            return text.withUnsafeBytes { Key.passphrase(bytes: $0) }
        }
        let digits = text.dropFirst(4)
        guard digits.count <= 64 else { throw severalKeys(in: line) }
        let raw = try SecretBytes(count: Cryptography.keyLength) { raw in
            for index in raw.indices {
                let start = digits.startIndex + 2 * index
                guard digits.count == 64, let high = digits[start].hexadecimalValue,
                    let low = digits[start + 1].hexadecimalValue
                else { throw refusal("has a raw key in line \(line) that is not 64 hexadecimal digits; correct it") }
                raw[index] = high << 4 | low
            }
        }
        return Key(material: .raw(raw, salt: nil))
    }

    /// The length of a line with a raw key.
    private static let rawLength = "raw:".utf8.count + 2 * Cryptography.keyLength

    /// Whether the end of a line is a raw key behind a blank.
    private static func isRaw(_ end: ArraySlice<UInt8>) -> Bool {
        end.dropFirst().starts(with: Array("raw:".utf8)) && [0x20, 0x09].contains(end.first)
            && end.dropFirst(5).allSatisfy { $0.hexadecimalValue != nil }
    }

    private func severalKeys(in line: Int) -> StrongroomError {
        refusal(
            """
            has a raw key in line \(line) with something else before or behind it; write each key, raw: and 64 \
            hexadecimal digits, on a line of its own
            """)
    }

    /// The share in a line; nil if there is none.
    ///
    /// - Parameter refusesMistakes: Whether a line without the prefix that is in groups like a share, but is none, is
    ///   refused.
    fileprivate func share(
        in text: ArraySlice<UInt8>, line: Int, refusesMistakes: Bool = false
    ) throws -> RecoveryShare? {
        try written(in: text, .share, line: line, refusesMistakes: refusesMistakes, RecoveryShare.init(_:))
    }

    /// The recovery key or the share in a line; nil if there is none.
    private func written<Written>(
        in text: ArraySlice<UInt8>, _ form: RecoveryText, line: Int, refusesMistakes: Bool = false,
        _ read: (String) throws -> Written
    ) throws -> Written? {
        let prefix = Array(form.prefix.utf8)
        let hasPrefix = text.starts(with: prefix)
        let isMeant = hasPrefix || (refusesMistakes && form.isInGroups(text))
        // No line that cannot be one is copied to an `Array` or a `String`, which would not be wiped.
        guard isMeant || Self.mayBe(text, form) else { return nil }
        do {
            return try read(String(decoding: hasPrefix ? text.dropFirst(prefix.count) : text, as: UTF8.self))
        } catch let error as StrongroomError {
            guard isMeant else { return nil }
            throw refusal("has an invalid \(form.name) in line \(line): \(error.message.dropLast())")
        }
    }

    private static func mayBe(_ text: ArraySlice<UInt8>, _ form: RecoveryText) -> Bool {
        text.count(where: isLetterOrDigit) == form.characterCount
            && text.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ") }
    }

    private func pem(_ text: ArraySlice<UInt8>, line: Int) throws -> Key {
        do {
            return try Key(pem: text)
        } catch let error as StrongroomError {
            throw refusal("has a key in line \(line) that cannot be used: \(error.message.dropLast())")
        }
    }

    private func recoveryKey(of shares: [RecoveryShare]) throws -> Key {
        do {
            return .recovery(try RecoveryKey(shares: shares))
        } catch let error as StrongroomError {
            throw refusal("has shares that cannot be used: \(error.message.dropLast())")
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

extension KeyChain {
    /// Reads the keys from a text as in a ``KeyFile``, one per line, oldest first, such as a secret that a service has
    /// delivered; a single passphrase is the entire text.
    ///
    /// ```swift
    /// let keys = try KeyChain(text: secret, source: "The vault's secret")
    /// ```
    ///
    /// A line has the forms of a ``KeyFile``. The text is bytes, since a `String` cannot be
    /// overwritten when it is no longer needed; the chain has copies of its own, which it overwrites.
    ///
    /// - Parameters:
    ///   - text: UTF-8, at most 64 KiB; the caller wipes it.
    ///   - source: The subject of the sentences in errors, such as "The vault's secret".
    /// - Throws: ``StrongroomError`` with `keySource` if it is not text, or contains no key or an invalid one;
    ///   `invalidKey` as ``init(_:)-(Key...)``.
    public init(text: [UInt8], source: String = "The text of the keys") throws {
        let reader = KeyText { StrongroomError(.keySource, "\(source) \($0).") }
        guard text.count <= KeyText.largest else {
            throw reader.refusal("has more than \(KeyText.largest) bytes; is it the right one?")
        }
        self = try reader.keyChain(text)
    }

    /// The maximum number of bytes in the text form of keys.
    package static let largestText = KeyText.largest

    /// The share of a recovery key that was typed, as a line of the text form of keys; nil for another line.
    ///
    /// - Throws: ``StrongroomError`` with `keySource` for one with a mistake.
    package static func share(in line: [UInt8]) throws -> RecoveryShare? {
        try KeyText { StrongroomError(.keySource, "What was typed \($0).") }
            .share(in: line[...], line: 1, refusesMistakes: true)
    }

    /// The same chain, which also opens plaintext files in order to encrypt them; ``plaintext`` is returned unchanged.
    package func openingPlaintext() -> KeyChain {
        isPlaintext || opensPlaintext ? self : KeyChain(unchecked: [.plaintext] + keys)
    }
}

extension KeyChain {
    /// Reads the keys from an environment variable, one per line as in a ``KeyFile``; a single passphrase is the entire
    /// value.
    ///
    /// Every process of the same user can read a process's environment, and child processes inherit it: a key file
    /// protects a secret better.
    ///
    /// ```swift
    /// func keyChain(for database: DatabaseName) async throws -> KeyChain {
    ///     try KeyChain(environment: "INVENTORY_KEYS")
    /// }
    /// ```
    ///
    /// - Parameter name: The variable's name.
    /// - Throws: ``StrongroomError`` with `keySource` if the variable is not set, is not UTF-8, or contains no key or
    ///   an invalid one; `invalidKey` as ``init(_:)-(Key...)``.
    public init(environment name: String) throws {
        let text = KeyText { StrongroomError(.keySource, "The environment variable \"\(name)\" \($0).") }
        guard !name.isEmpty, !name.utf8.contains(0), let value = getenv(name) else {
            throw text.refusal("is not set; set it to the keys, one a line, oldest first")
        }
        var content = Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
        defer { content.withUnsafeMutableBytes { $0.wipe() } }
        self = try text.keyChain(content)
    }
}

#if ConfigReader
public import Configuration

extension KeyChain {
    /// Reads the keys from a value of swift-configuration, one per line as in a ``KeyFile``; a single passphrase is the
    /// entire value.
    ///
    /// The value is read as a secret, so that the reader's access log does not show it. Requires the package trait
    /// `ConfigReader`.
    ///
    /// ```swift
    /// let config = ConfigReader(provider: EnvironmentVariablesProvider())
    ///
    /// func keyChain(for database: DatabaseName) async throws -> KeyChain {
    ///     try await KeyChain(config, forKey: "inventory.keys")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: The reader of the value; its providers are queried each time.
    ///   - key: The value's key.
    /// - Throws: ``StrongroomError`` with `keySource` if there is no such value, a provider fails (`underlying` is its
    ///   error), or the text contains no key or an invalid one; `invalidKey` as ``init(_:)-(Key...)``.
    public init(_ reader: ConfigReader, forKey key: ConfigKey) async throws {
        let text = KeyText { StrongroomError(.keySource, "The configuration's value \"\(key)\" \($0).") }
        let value: String?
        do {
            value = try await reader.fetchString(forKey: key, isSecret: true)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            var failure = text.refusal("could not be read; see `underlying`")
            failure.underlying = error
            throw failure
        }
        guard let value else { throw text.refusal("is missing; give the keys, one a line, oldest first") }
        var content = Array(value.utf8)
        defer { content.withUnsafeMutableBytes { $0.wipe() } }
        self = try text.keyChain(content)
    }
}
#endif

/// The text form of a chain's keys in UTF-8, one per line, oldest first: a passphrase, `raw:` and 64 hexadecimal
/// digits, or `recovery:` and a recovery key. A line that is a recovery key, with all of its check characters, is one
/// without the prefix, too: it is typed from paper. Empty lines are ignored.
struct KeyText {
    /// The error for an invalid text.
    ///
    /// - Parameter reason: Why it is invalid, and what to do; the source's name precedes it.
    let refusal: (_ reason: String) -> StrongroomError

    /// The maximum number of bytes that are read.
    static let largest = 64 * 1024

    func keyChain(_ content: [UInt8]) throws -> KeyChain {
        try KeyChain(keys(in: content))
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

    private func keys(in content: [UInt8]) throws -> [Key] {
        guard !content.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw refusal(
                "starts with a byte order mark, which would become part of the first key; save it without one")
        }
        guard !content.contains(0), Self.isText(content) else {
            throw refusal("is not text in UTF-8; write one passphrase a line, or raw: and 64 hexadecimal digits")
        }
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var keys: [Key] = []
        for (number, line) in lines.enumerated() {
            let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if !text.isEmpty { keys.append(try key(in: text, line: number + 1)) }
        }
        guard !keys.isEmpty else { throw refusal("holds no key; write one a line, oldest first") }
        return keys
    }

    private func key(in text: ArraySlice<UInt8>, line: Int) throws -> Key {
        if let recovery = try recoveryKey(in: text, line: line) { return recovery }
        guard text.starts(with: Array("raw:".utf8)) else {
            return text.withUnsafeBytes { Key.passphrase(bytes: $0) }
        }
        let digits = text.dropFirst(4)
        let raw = try SecretBytes(count: Cryptography.keyLength) { raw in
            for index in raw.indices {
                let start = digits.startIndex + 2 * index
                guard digits.count == 64, let high = Self.value(digits[start]), let low = Self.value(digits[start + 1])
                else { throw refusal("has a raw key in line \(line) that is not 64 hexadecimal digits; correct it") }
                raw[index] = high << 4 | low
            }
        }
        return Key(material: .raw(raw, salt: nil))
    }

    private func recoveryKey(in text: ArraySlice<UInt8>, line: Int) throws -> Key? {
        let prefix = Array("recovery:".utf8)
        if text.starts(with: prefix) {
            do {
                return try .recovery(RecoveryKey(String(decoding: text.dropFirst(prefix.count), as: UTF8.self)))
            } catch let error as StrongroomError {
                throw refusal("has an invalid recovery key in line \(line): \(error.message.dropLast())")
            }
        }
        // No line that cannot be one is copied to an `Array` or a `String`, which would not be wiped.
        let characterCount = text.count(where: Self.isLetterOrDigit)
        guard characterCount == RecoveryKey.characterCount,
            text.allSatisfy({ Self.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ") })
        else { return nil }
        return (try? RecoveryKey(String(decoding: text, as: UTF8.self))).map(Key.recovery)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// A hexadecimal digit's value; nil for another byte.
    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}

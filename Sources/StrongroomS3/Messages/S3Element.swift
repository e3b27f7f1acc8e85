#if S3
/// An element of an XML document.
struct S3Element: Equatable {
    let name: String
    var text = ""
    var children: [S3Element] = []

    init(_ name: String) {
        self.name = name
    }

    /// The text of the first child with a name.
    subscript(name: String) -> String? { children.first { $0.name == name }?.text }
}

extension S3Element {
    /// Parses a document in UTF-8, as S3 services write it.
    ///
    /// The parser is strict: a document that is cut, has a document type, or is not well-formed gives nil. Attributes
    /// are skipped, and names lose their namespace.
    init?(document bytes: [UInt8]) {
        var parser = S3DocumentParser(bytes: bytes)
        guard let root = parser.document() else { return nil }
        self = root
    }
}

/// The parser of XML documents.
private struct S3DocumentParser {
    let bytes: [UInt8]
    var index = 0
    static let greatestDepth = 16

    mutating func document() -> S3Element? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        guard skipMiscellany(), take("<"), let root = element(depth: 1), skipMiscellany(), index == bytes.count else {
            return nil
        }
        return root
    }

    /// Parses an element whose `<` has been read.
    private mutating func element(depth: Int) -> S3Element? {
        guard depth <= Self.greatestDepth, let name = name(), let isEmpty = endOfTag() else { return nil }
        var element = S3Element(String(name.split(separator: ":").last ?? ""))
        guard !isEmpty else { return element }
        while index < bytes.count {
            if take("</") {
                guard self.name() == name else { return nil }
                skipSpace()
                return take(">") ? element : nil
            } else if take("<!--") {
                guard through("-->") != nil else { return nil }
            } else if take("<![CDATA[") {
                guard let text = through("]]>").flatMap(text) else { return nil }
                element.text += text
            } else if take("<") {
                guard let child = self.element(depth: depth + 1) else { return nil }
                element.children.append(child)
            } else {
                guard let text = characters() else { return nil }
                element.text += text
            }
        }
        return nil
    }

    /// Skips the attributes of a tag; returns whether the tag is an empty element's.
    private mutating func endOfTag() -> Bool? {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: ">"):
                index += 1
                return false
            case UInt8(ascii: "/"): return take("/>") ? true : nil
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = bytes[(index + 1)...].firstIndex(of: bytes[index]) else { return nil }
                index = end + 1
            case UInt8(ascii: "<"): return nil
            default: index += 1
            }
        }
        return nil
    }

    private mutating func name() -> String? {
        let start = index
        while index < bytes.count, !" \t\r\n/>=<\"'&".utf8.contains(bytes[index]) { index += 1 }
        return start == index ? nil : text(bytes[start..<index])
    }

    /// The text up to the next tag.
    private mutating func characters() -> String? {
        var result: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            if take("&") {
                guard let reference = through(";").flatMap(text), let character = Self.character(reference) else {
                    return nil
                }
                result += Array(character.utf8)
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return text(result[...])
    }

    private static func character(_ reference: String) -> String? {
        switch reference {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard reference.hasPrefix("#") else { return nil }
            let digits = reference.dropFirst()
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(UnicodeScalar.init).map { String(Character($0)) }
        }
    }

    private mutating func skipSpace() {
        while index < bytes.count, " \t\r\n".utf8.contains(bytes[index]) { index += 1 }
    }

    /// Skips what may stand around the root element; false if a comment does not end.
    private mutating func skipMiscellany() -> Bool {
        while true {
            skipSpace()
            if take("<?") {
                guard through("?>") != nil else { return false }
            } else if take("<!--") {
                guard through("-->") != nil else { return false }
            } else {
                return true
            }
        }
    }

    private mutating func take(_ token: StaticString) -> Bool {
        let token = UnsafeBufferPointer(start: token.utf8Start, count: token.utf8CodeUnitCount)
        guard bytes[index...].starts(with: token) else { return false }
        index += token.count
        return true
    }

    /// The bytes before a token, which is skipped, too.
    private mutating func through(_ token: StaticString) -> ArraySlice<UInt8>? {
        let start = index
        while index < bytes.count {
            let end = index
            if take(token) { return bytes[start..<end] }
            index += 1
        }
        return nil
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String? { String(validating: bytes, as: UTF8.self) }
}
#endif

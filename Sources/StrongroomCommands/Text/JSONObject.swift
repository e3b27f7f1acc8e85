package import Strongroom

/// A JSON object whose members are values that a store can store.
///
/// Foundation's decoder is not used: it does not distinguish large integers, reals and `true`, and uses one of two
/// members with the same name.
package struct JSONObject {
    /// An error in a text; does not contain its values.
    package struct Fault: Error, Equatable {
        package let reason: String
    }

    /// The value of a member.
    package enum Member: Equatable, Sendable {
        case value(SQLValue)
        case bool(Bool)
        /// A number with more digits than the nearest floating-point number.
        case rounded(Double)
    }

    /// The members in order, with unique names.
    package private(set) var members: [(name: String, member: Member)] = []

    private var scanner: JSONScanner

    /// Parses a single object, with only whitespace before and after it.
    package init(_ bytes: [UInt8]) throws(Fault) {
        scanner = JSONScanner(bytes)
        try readMembers()
        scanner.passSpace()
        guard scanner.isAtEnd else { throw Fault(reason: "text follows the object") }
    }

    private mutating func readMembers() throws(Fault) {
        guard scanner.pass("{") else { throw Fault(reason: "it is not a JSON object") }
        if scanner.pass("}") { return }
        var names: Set<String> = []
        repeat {
            let name = try scanner.text("a name in quotation marks")
            guard names.insert(name).inserted else { throw Fault(reason: "two members have one name, \"\(name)\"") }
            guard scanner.pass(":") else { throw Fault(reason: "a colon is missing after \"\(name)\"") }
            members.append((name, try readMember(name)))
        } while scanner.pass(",")
        guard scanner.pass("}") else { throw Fault(reason: "a comma or the closing brace is missing") }
    }

    private mutating func readMember(_ name: String) throws(Fault) -> Member {
        scanner.passSpace()
        switch scanner.next {
        case UInt8(ascii: "\""): return .value(.text(try scanner.text("a text")))
        case UInt8(ascii: "{"): return .value(.blob(try readBytes(name)))
        case UInt8(ascii: "["): throw Fault(reason: "\"\(name)\" is an array, which cannot be stored")
        case let byte? where byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
            return try scanner.number(name)
        default: return try readWord(name)
        }
    }

    private mutating func readWord(_ name: String) throws(Fault) -> Member {
        let word = scanner.word()
        switch word {
        case "null": return .value(.null)
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "NaN", "nan", "Infinity", "inf":
            throw Fault(reason: "\"\(name)\" is \(word), which is not valid JSON and cannot be stored")
        default: throw Fault(reason: "\"\(name)\" has no valid JSON value")
        }
    }

    /// The only object that a column can store is that of bytes.
    private mutating func readBytes(_ name: String) throws(Fault) -> [UInt8] {
        let fault = Fault(reason: "\"\(name)\" is an object; only bytes are objects, as in {\"base64\":\"AQID\"}")
        guard scanner.pass("{"), try scanner.text("a name") == "base64", scanner.pass(":") else { throw fault }
        let text = try scanner.text("Base64")
        guard scanner.pass("}") else { throw fault }
        guard let bytes = Base64.bytes(text) else { throw Fault(reason: "\"\(name)\" is not valid Base64") }
        return bytes
    }
}

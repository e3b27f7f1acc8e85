#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A JSON value.
enum JSONNode: Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number; if it was decoded, with its digits as far as `Decimal` can represent them.
    case real(Double, Decimal?)
    case float(Float)
    case text(String)
    case list([JSONNode])
    case object([String: JSONNode])

    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let object = try? single.decode([String: JSONNode].self) {
            self = .object(object)
        } else if let text = try? single.decode(String.self) {
            self = .text(text)
        } else if let bool = try? single.decode(Bool.self) {
            self = .bool(bool)
        } else if let decimal = try? single.decode(Decimal.self), let real = try? single.decode(Double.self) {
            // First: when decoding an integer, Foundation rounds other numbers, and traps on a number with more digits
            // than a decimal can have.
            if let integer = try? single.decode(Int64.self), Decimal(integer) == decimal {
                self = .integer(integer)
            } else {
                self = .real(real, decimal)
            }
        } else if let real = try? single.decode(Double.self) {
            self = .real(real, nil)
        } else {
            self = .list(try single.decode([JSONNode].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        switch self {
        case .null: try single.encodeNil()
        case .bool(let bool): try single.encode(bool)
        case .integer(let integer): try single.encode(integer)
        case .real(let real, let decimal):
            if let decimal, Double("\(decimal)") == real { try single.encode(decimal) } else { try single.encode(real) }
        case .float(let float): try single.encode(float)
        case .text(let text): try single.encode(text)
        case .list(let list): try single.encode(list)
        case .object(let object): try single.encode(object)
        }
    }
}

extension JSONNode {
    /// - Throws: ``StrongroomError`` with `notARecord` for invalid JSON.
    init(text: String) throws {
        do {
            self = try JSONDecoder().decode(JSONNode.self, from: Data(text.utf8))
        } catch {
            // The decoder's error may contain the content.
            throw StrongroomError(.notARecord, "The text is not valid JSON; check that it is complete and in UTF-8.")
        }
    }

    func text() throws -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            throw StrongroomError(.valueNotStorable, "JSON has no infinite numbers; encode the record as a dictionary.")
        }
    }

    /// The kind of the value, for messages.
    var name: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer: "an integer"
        case .real, .float: "a number"
        case .text: "a string"
        case .list: "an array"
        case .object: "an object"
        }
    }
}

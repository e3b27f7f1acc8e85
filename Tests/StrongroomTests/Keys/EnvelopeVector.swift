import Foundation
import Strongroom
import Testing

/// A test vector of the guide "The format of an envelope".
struct EnvelopeVector: Sendable, CustomTestStringConvertible {
    static let guide = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Strongroom/Strongroom.docc/EnvelopeFormat.md").standardized

    let name: String
    /// Chains of one key, of which each opens it.
    private(set) var chains: [KeyChain] = []
    /// The keys of imitated providers, of which each opens it.
    private(set) var externalKeys: [(secret: [UInt8], identifier: String)] = []
    private(set) var dataKeys: [[UInt8]] = []
    private(set) var labels: [String] = []
    let envelope: [UInt8]

    var testDescription: String { name }

    static func all() throws -> [EnvelopeVector] {
        let blocks = try blocks("vector: ")
        try #require(blocks.count >= 4)
        return try blocks.map { try EnvelopeVector($0) }
    }

    /// The text blocks of the guide that begin with a field.
    static func blocks(_ field: String) throws -> [String] {
        let blocks = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "```text\n").dropFirst()
        return blocks.filter { $0.hasPrefix(field) }.map { $0.components(separatedBy: "\n```")[0] }
    }

    private init(_ block: String) throws {
        let parts = block.components(separatedBy: "\nenvelope:\n")
        let fields = parts[0].split(separator: "\n").map { $0.components(separatedBy: ": ") }
        name = fields[0][1]
        envelope = Self.bytes(try #require(parts.last).filter { $0 != "\n" })
        for field in fields.dropFirst() {
            switch field[0] {
            case "key" where field[1].hasPrefix("external:"):
                let parts = field[1].split(separator: ":", maxSplits: 2).map(String.init)
                externalKeys.append((Self.bytes(parts[1]), parts[2]))
            case "key" where field[1].hasPrefix("x25519:"):
                let content = Data(Self.bytes("302e020100300506032b656e04220420" + field[1].dropFirst(7)))
                let pem = "PRIVATE KEY-----\n\(content.base64EncodedString())\n-----END PRIVATE KEY-----"
                chains.append(try KeyChain(.privateKey(pem: "-----BEGIN \(pem)")))
            case "key": chains.append(try KeyChain(text: Array(field[1].utf8)))
            case "data key": dataKeys.append(Self.bytes(field[1]))
            case "label": labels.append(field[1])
            default: Issue.record("The vector has an unknown field: \(field)")
            }
        }
    }

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

import Foundation
// Internal: the private bytes of a pair.
@testable import Strongroom

/// A pair of keys of X25519, as PEM.
struct KeyPair: Sendable {
    let privateKey: [UInt8]
    let publicKey: [UInt8]

    init(_ number: UInt8 = 1) {
        privateKey = [UInt8](repeating: number, count: 32)
        publicKey = HPKE.publicKey(of: SecretBytes(privateKey)) ?? []
    }

    /// As OpenSSL writes it.
    var privatePEM: String { Self.pem("PRIVATE KEY", "302e020100300506032b656e04220420", privateKey) }
    var publicPEM: String { Self.pem("PUBLIC KEY", "302a300506032b656e032100", publicKey) }

    var opening: Key { get throws { try .privateKey(pem: privatePEM) } }
    var sealing: Key { get throws { try .publicKey(pem: publicPEM) } }

    /// The line for the decoder.
    var line: String { "x25519:\(privateKey.hexadecimal)" }

    static func pem(_ label: String, _ prefix: String, _ key: [UInt8]) -> String {
        let digits = prefix.compactMap { $0.hexDigitValue.map { UInt8($0) } }
        let start = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return "-----BEGIN \(label)-----\n\(Data(start + key).base64EncodedString())\n-----END \(label)-----\n"
    }
}

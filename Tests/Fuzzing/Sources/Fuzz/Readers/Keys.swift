@testable import Strongroom

extension Reader {
    /// The text of keys in key files and variables, recovery keys and their shares, keys as PEM, fingerprints.
    static let keys = Reader("keys", longest: 1 << 12) { input in
        switch input.byte() % 5 {
        case 0: try readChain(input.remainder())
        case 1:
            let key = try RecoveryKey(input.text())
            require(try RecoveryKey(key.text) == key, "a recovery key is read as it is written")
        case 2:
            let share = try RecoveryShare(input.text())
            require(try RecoveryShare(share.text) == share, "a share is read as it is written")
        case 3:
            let key = try Key.publicKey(pem: input.text())
            guard case .pair(let publicKey, nil) = key.material else { fatalError("a public key is one") }
            require(try Key.publicKey(pem: PEM.text(of: publicKey)) == key, "a public key is read as it is written")
        default:
            guard let fingerprint = KeyFingerprint(input.text()) else { return }
            require(KeyFingerprint(fingerprint.description) == fingerprint, "a fingerprint is read as it is written")
        }
    }

    private static func readChain(_ text: [UInt8]) throws {
        do {
            let chain = try KeyChain(text: text)
            require(!chain.keys.isEmpty, "a chain has a key")
        } catch let error as StrongroomError {
            // A shorter line may be a word of the message.
            for line in text.split(separator: UInt8(ascii: "\n")) where line.count > 16 {
                require(!"\(error)".utf8.contains(line), "no error contains a line of the keys")
            }
            throw error
        }
    }
}

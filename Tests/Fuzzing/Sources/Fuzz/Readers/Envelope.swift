import Foundation

@testable import Strongroom

extension Reader {
    /// The sidecar with the wrapped data key of a database.
    static let envelope = Reader("envelope", longest: 1 << 12) { input in
        let isSealed = input.flag()
        var bytes = input.remainder()
        // Past the checksum, which any writer can compute.
        if isSealed { bytes = Digests.stored(bytes.dropLast(Digests.length)) }
        let envelope = try unlessDefect { try Envelope(bytes: bytes) }
        guard let envelope else { return }
        require(envelope.bytes == bytes, "what was read is written as the same bytes")
        for slot in envelope.slots { _ = slot.keySlot.summary }
        let opened = try unlessDefect { try envelope.open(with: EnvelopeVectors.chain) }
        guard let opened else { return }
        require(EnvelopeVectors.all.contains(bytes), "only an authentic envelope opens")
        require(opened.bytes == bytes, "an opened envelope is unchanged")
    }

    private static func unlessDefect<T>(_ work: () throws -> T) rethrows -> T? {
        do {
            return try work()
        } catch is EnvelopeDefect {
            return nil
        }
    }
}

/// The test vectors of the guide "The format of an envelope".
private enum EnvelopeVectors {
    /// The keys that the vectors have, but for those with a slow derivation.
    static let chain: KeyChain = {
        let privateKey = Data(PEM.privatePrefix + [UInt8](0x80...0x9F)).base64EncodedString()
        let pem = "-----BEGIN PRIVATE KEY-----\n\(privateKey)\n-----END PRIVATE KEY-----"
        guard let pair = try? Key.privateKey(pem: pem) else { fatalError("the vectors' private key is one") }
        return KeyChain(unchecked: [Key.raw([UInt8](repeating: 7, count: Cryptography.keyLength)), pair])
    }()

    static let all: Set<[UInt8]> = {
        let guide = URL(filePath: #filePath)
            .appending(path: "../../../../../../Sources/Strongroom/Strongroom.docc/EnvelopeFormat.md").standardized
        guard let text = try? String(contentsOf: guide, encoding: .utf8) else { fatalError("no guide at \(guide)") }
        let blocks = text.components(separatedBy: "\nenvelope:\n").dropFirst()
        return Set(blocks.map { bytes($0.components(separatedBy: "\n```")[0]) })
    }()

    private static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}

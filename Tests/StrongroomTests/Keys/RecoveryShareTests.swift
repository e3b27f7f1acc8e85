import Foundation
// Internal: the polynomials of one byte, and keys without a database.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Shares of recovery keys")
struct RecoveryShareTests {
    private static let counts = [(2, 2), (2, 3), (3, 5), (5, 7), (7, 7)]

    private let key = RecoveryKey.random()

    /// Each choice of elements, in the order of the list.
    private static func subsets(of shares: [RecoveryShare]) -> [[RecoveryShare]] {
        (0..<1 << shares.count).map { mask in
            shares.indices.filter { mask >> $0 & 1 == 1 }.map { shares[$0] }
        }
    }

    /// A share with a text of its own for changed bytes, whose check characters are right.
    private static func share(_ share: RecoveryShare, changing index: Int, to value: UInt8) throws -> RecoveryShare {
        var bytes = share.bytes.withUnsafeBytes { Array($0) }
        bytes[index] = value
        return try RecoveryShare(bytes.withUnsafeBytes { RecoveryText.text(of: $0) })
    }

    @Test(arguments: counts)
    func `as many as the threshold restore the key, whichever they are, and fewer none`(
        threshold: Int, count: Int
    ) throws {
        let shares = try key.shares(threshold: threshold, of: count).map { try RecoveryShare($0.text) }
        #expect(shares.count == count)
        for chosen in Self.subsets(of: shares) {
            guard chosen.count < threshold else {
                #expect(try RecoveryKey(shares: chosen.reversed()) == key)
                continue
            }
            guard !chosen.isEmpty else { continue }
            try expectFailure(
                .invalidKey, saying: "\(chosen.count) of \(threshold) shares", "give \(threshold - chosen.count) more"
            ) { try RecoveryKey(shares: chosen) }
            // What could be computed from them is not the key.
            #expect(RecoveryShare.combined(chosen) != RecoveryShare.combined(shares))
        }
        try expectFailure(.invalidKey, saying: "0 of 2 shares") { try RecoveryKey(shares: []) }
    }

    @Test func `sixteen restore a key`() throws {
        let shares = try key.shares(threshold: 16, of: 16)
        #expect(try RecoveryKey(shares: shares) == key)
        #expect(throws: StrongroomError.self) { try RecoveryKey(shares: Array(shares.dropLast())) }
    }

    @Test(arguments: [(1, 3), (0, 0), (4, 3), (2, 17), (17, 17), (-1, 2), (2, .max), (2, 1)])
    func `impossible numbers are refused`(threshold: Int, count: Int) throws {
        try expectFailure(.invalidArgument, saying: "2 to 16") { try key.shares(threshold: threshold, of: count) }
    }

    // MARK: Fewer shares tell nothing

    /// The share with a number of a secret of one byte.
    private static func value(_ secret: UInt8, _ coefficients: [UInt8], at number: UInt8) -> UInt8 {
        let threshold = UInt8(coefficients.count + 1)
        let share = RecoveryShare(
            of: SecretBytes([secret]), SecretBytes(coefficients), head: [0, 0, 0, threshold, number])
        return share.bytes.withUnsafeBytes { $0[5] }
    }

    /// The coefficients are uniform, so each value of the share is as likely for each secret.
    @Test func `one share of two has each value once for each secret`() {
        for secret in UInt8.min...UInt8.max {
            for number in [1, 2, 16] as [UInt8] {
                let values = (UInt8.min...UInt8.max).map { Self.value(secret, [$0], at: number) }
                #expect(Set(values).count == 256, "secret \(secret), share \(number)")
            }
        }
    }

    @Test(arguments: [0, 1, 0x53, 0xFF] as [UInt8])
    func `two shares of three have each pair of values once for each secret`(secret: UInt8) {
        var pairs: Set<[UInt8]> = []
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                pairs.insert([3, 5].map { Self.value(secret, [first, second], at: $0) })
            }
        }
        #expect(pairs.count == 65_536)
    }

    /// Through the shares there is one polynomial for each value at 0.
    @Test func `each value of each byte of the key fits to one share less`() throws {
        let shares = try key.shares(threshold: 3, of: 5)
        for index in 0..<25 {
            let secrets = try (UInt8.min...UInt8.max).map { value in
                let last = try Self.share(shares[4], changing: 5 + index, to: value)
                return RecoveryShare.combined([shares[0], shares[2], last]).withUnsafeBytes { $0[index] }
            }
            #expect(Set(secrets).count == 256)
        }
    }

    @Test func `each split has other numbers, of all values`() throws {
        var found = Array(repeating: Set<UInt8>(), count: 25)
        var identifiers: Set<[UInt8]> = []
        for _ in 0..<3_000 {
            let share = try key.shares(threshold: 2, of: 2)[0].bytes.withUnsafeBytes { Array($0) }
            identifiers.insert(Array(share.prefix(3)))
            for index in 0..<25 { found[index].insert(share[5 + index]) }
        }
        // By chance a few values are missing, and an identifier of 24 bits occurs twice.
        #expect(found.allSatisfy { $0.count > 250 } && identifiers.count > 2_900)
    }

    // MARK: What does not belong together

    @Test func `shares of another split are refused`() throws {
        let (first, second) = (try key.shares(threshold: 2, of: 3), try key.shares(threshold: 2, of: 3))
        let other = try RecoveryKey.random().shares(threshold: 2, of: 3)
        for mixed in [[first[0], second[1]], [first[0], other[2]], [first[0], first[1], second[2]]] {
            try expectFailure(.invalidKey, saying: "different recovery keys", "whose first group is the same") {
                try RecoveryKey(shares: mixed)
            }
        }
        #expect(Set(first.map { $0.text.prefix(5) }).count == 1)
    }

    @Test func `a share that is given twice is refused`() throws {
        let shares = try key.shares(threshold: 3, of: 3)
        try expectFailure(.invalidKey, saying: "Share 2", "given twice") {
            try RecoveryKey(shares: [shares[0], shares[1], shares[1]])
        }
        // Also if one of the two was changed.
        let changed = try Self.share(shares[1], changing: 9, to: 1)
        try expectFailure(.invalidKey, saying: "Share 2", "given twice") {
            try RecoveryKey(shares: [shares[1], changed, shares[0]])
        }
    }

    @Test func `a share that is another than was printed gives no wrong key`() throws {
        let shares = try key.shares(threshold: 2, of: 3)
        for index in 5..<30 {
            for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                let value = shares[1].bytes.withUnsafeBytes { $0[index] } ^ mask
                let changed = try Self.share(shares[1], changing: index, to: value)
                try expectFailure(.invalidKey, saying: "The shares 1, 2 do not restore") {
                    try RecoveryKey(shares: [shares[0], changed])
                }
                // One too many does not hide it.
                #expect(throws: StrongroomError.self) { try RecoveryKey(shares: [shares[0], changed, shares[2]]) }
            }
        }
        // As another number it is another share.
        let renumbered = try Self.share(shares[1], changing: 4, to: 7)
        #expect(throws: StrongroomError.self) { try RecoveryKey(shares: [shares[0], renumbered]) }
    }

    @Test(arguments: [(3, 0), (3, 1), (3, 17), (3, 0x82), (4, 0), (4, 17), (4, 255)] as [(Int, UInt8)])
    func `a threshold and a number of a later version are refused`(index: Int, value: UInt8) throws {
        let share = try key.shares(threshold: 2, of: 2)[0]
        try expectFailure(.invalidKey, saying: "newer version") {
            try Self.share(share, changing: index, to: value)
        }
    }

    // MARK: The text

    @Test func `a mistake is found, and its group and share are named`() throws {
        let text = Array(try key.shares(threshold: 2, of: 3)[2].text)
        #expect(text.count == 71)
        for index in text.indices where text[index] != "-" {
            for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ*" where other != text[index] {
                var wrong = text
                wrong[index] = other
                let group = index / 6 + 1
                let subject = group == 2 ? "The share of a recovery key" : "Share 3 of the recovery key"
                try expectFailure(.invalidKey, saying: "\(subject) has a mistake in group \(group) of 12") {
                    try RecoveryShare(String(wrong))
                }
            }
        }
        let groups = String(text).split(separator: "-")
        try expectFailure(.invalidKey, saying: "mistake in group 12 of 12") {
            try RecoveryShare(String(text.dropLast()))
        }
        try expectFailure(.invalidKey, saying: "55 characters") { try RecoveryShare(groups.dropLast().joined()) }
        try expectFailure(.invalidKey, saying: "40 characters") { try RecoveryShare(key.text) }
        try expectFailure(.invalidKey, saying: "60 characters") { try RecoveryKey(String(text)) }
    }

    @Test func `neither a share nor an error shows its bytes`() throws {
        let shares = try key.shares(threshold: 2, of: 3)
        let changed = try Self.share(shares[1], changing: 9, to: 1)
        let errors = try [
            expectFailure(.invalidKey) { try RecoveryKey(shares: [shares[0]]) },
            expectFailure(.invalidKey) { try RecoveryKey(shares: [shares[0], changed]) },
            expectFailure(.invalidKey) { try RecoveryShare(shares[0].text + "A") },
        ]
        let secrets = shares.flatMap { share in share.text.split(separator: "-").dropFirst(2).map(String.init) }
        let texts = shares.flatMap(Secrecy.texts) + errors.flatMap(Secrecy.texts)
        for text in texts { #expect(!secrets.contains { text.contains($0) }, "\(text)") }
        #expect("\(shares[0])" == "RecoveryShare")
    }

    @Test func `a text of keys has shares in its lines`() throws {
        let texts = try key.shares(threshold: 2, of: 3).map(\.text)
        func keys(_ lines: String...) throws -> [Key] {
            try KeyChain(text: Array(lines.joined(separator: "\n").utf8), source: "It").keys
        }
        let expected = [Key.passphrase("old"), .recovery(key), .passphrase("new")]
        #expect(try keys("old", texts[0], "share:\(texts[2].lowercased())", "new") == expected)
        #expect(try keys("old", "share: \(texts[1])", "new", texts[2].replacing("-", with: " ")) == expected)
        try expectFailure(.keySource, saying: "It has shares", "1 of 2 shares") { try keys("old", texts[0]) }
        let wrong = texts[0].dropLast() + (texts[0].hasSuffix("0") ? "1" : "0")
        try expectFailure(.keySource, saying: "line 2", "Share 1", "group 12 of 12") {
            try keys(texts[1], "share:\(wrong)")
        }
        // Without the prefix, what has a mistake is a passphrase, but not beside other shares.
        #expect(try keys(String(wrong)) == [.passphrase(String(wrong))])
        let mistakes: [(String, Int)] = [
            (String(wrong), 12), (String(wrong.dropFirst()), 1), (String(wrong.dropLast()), 12),
            ("\(wrong)A".replacing("-", with: " "), 12),
        ]
        for (typed, group) in mistakes {
            for other in [texts[1], "share: \(texts[1])"] {
                let groups = "group \(group) of 12"
                try expectFailure(.keySource, saying: "line 3", groups) { try keys(texts[2], other, typed) }
                try expectFailure(.keySource, saying: "line 1", groups) { try keys(typed, texts[2], other) }
            }
        }
        let words = Array(repeating: "word", count: 12).joined(separator: " ")
        #expect(try keys(texts[1], texts[2], words).last == .passphrase(words))
    }

    // MARK: Another program

    /// The threshold, the key and the shares of the guide's vector.
    private static func vector() throws -> (threshold: Int, key: String, shares: [String]) {
        let fields = try #require(EnvelopeVector.blocks("shares: ").first).split(separator: "\n")
            .map { $0.components(separatedBy: ": ") }
        try #require(fields[1][0] == "key" && fields[2...].allSatisfy { $0[0] == "share" })
        return (try #require(fields[0][1].first?.wholeNumberValue), fields[1][1], fields[2...].map { $0[1] })
    }

    /// What was written down once must be read by all later versions.
    @Test func `the vector of the guide restores its key`() throws {
        let vector = try Self.vector()
        let shares = try vector.shares.map { try RecoveryShare($0) }
        #expect(shares.count == 5 && vector.threshold == 3 && shares.map(\.text) == vector.shares)
        for chosen in Self.subsets(of: shares) where chosen.count >= vector.threshold {
            #expect(try RecoveryKey(shares: chosen).text == vector.key)
        }
    }

    @Test(.enabled(if: EnvelopeDecoder.installed != nil, EnvelopeDecoder.reason), arguments: counts + [(3, 16)])
    func `another program restores what this one splits, and the other way round`(threshold: Int, count: Int) throws {
        let decoder = try #require(EnvelopeDecoder.installed)
        let texts = try key.shares(threshold: threshold, of: count).map(\.text)
        for chosen in [texts.prefix(threshold), texts.suffix(threshold), texts[...]] {
            #expect(try decoder.shares(chosen.reversed()).output == key.text + "\n")
        }
        let refused = try decoder.shares(Array(texts.dropFirst(count - threshold + 1)))
        #expect(refused.status == 1 && refused.errors.contains("refused"))
        let others = try decoder.shares([key.text, "\(threshold)", "\(count)"]).output.split(separator: "\n")
            .map { try RecoveryShare(String($0)) }
        #expect(others.count == count)
        #expect(try RecoveryKey(shares: Array(others.suffix(threshold))) == key)
        #expect(try RecoveryKey(shares: Array(others.prefix(threshold))) == key)
        // The guide's.
        let vector = try Self.vector()
        #expect(try decoder.shares(Array(vector.shares.suffix(3))).output == vector.key + "\n")
    }
}

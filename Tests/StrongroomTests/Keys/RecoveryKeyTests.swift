import Foundation
// Internal: nothing public makes a recovery key before the opening of stores does.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("Recovery keys")
struct RecoveryKeyTests {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    @Test func aRecoveryKeyOpensWithTheTextThatWasWrittenDown() throws {
        var envelope = try OpenEnvelope.with(.numbered(1))
        let recovery = try envelope.addRecoveryKey(label: "safe", date: .fixed).key
        #expect(envelope.keySlots.map(\.isRecovery) == [false, true])
        let written = try RecoveryKey(recovery.text)
        #expect(written == recovery)
        let opened = try openEnvelope(envelope.bytes, .recovery(written), .numbered(2))
        #expect(opened.position == 0)
        #expect(opened.dataKeys == envelope.dataKeys)
        #expect(throws: EnvelopeDefect.self) { try openEnvelope(envelope.bytes, .recovery(.random())) }
    }

    @Test func theTextHasEightGroupsOfFive() {
        let groups = RecoveryKey.random().text.split(separator: "-")
        #expect(groups.map(\.count) == Array(repeating: 5, count: 8))
        #expect(groups.joined().allSatisfy { Self.alphabet.contains($0) })
    }

    /// What was written down once must be read by all later versions.
    @Test func theFormIsPinned() throws {
        let bytes = [UInt8](0..<20)
        let text = bytes.withUnsafeBytes { RecoveryText.text(of: $0) }
        #expect(text == "000G0-40R47-0M30J-E209D-185GT-R38E6-1W81Q-24GK4")
        #expect(try RecoveryText.key.bytes(of: text) == bytes)
    }

    @Test func everyKeyIsReadAsItWasWritten() throws {
        var generator = SeededGenerator(7)
        for _ in 0..<500 {
            let bytes = (0..<20).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(try RecoveryText.key.bytes(of: bytes.withUnsafeBytes { RecoveryText.text(of: $0) }) == bytes)
        }
    }

    @Test func caseSpacesHyphensAndLettersThatLookLikeDigitsDoNotCount() throws {
        // A key in whose text all of them stand.
        let bytes = [UInt8](repeating: 0x00, count: 10) + [UInt8](repeating: 0x08, count: 10)
        let text = bytes.withUnsafeBytes { RecoveryText.text(of: $0) }
        let variants = [
            text.lowercased(), text.replacing("-", with: " "), text.replacing("-", with: ""), "  \(text)\n",
            text.replacing("-", with: " - "), text.replacing("-", with: "–"), text.replacing("-", with: "\u{A0}"),
            text.replacing("0", with: "O"), text.replacing("0", with: "o"), text.replacing("1", with: "I"),
            text.replacing("1", with: "l"), text.replacing("-", with: "").map { "\($0) " }.joined(),
        ]
        #expect(text.contains("0") && text.contains("1"))
        for variant in variants { #expect(try RecoveryText.key.bytes(of: variant) == bytes, "\(variant)") }
    }

    @Test func everyWrongCharacterIsFoundAndItsGroupNamed() throws {
        let text = Array(RecoveryKey.random().text)
        for index in text.indices where text[index] != "-" {
            for other in Self.alphabet + ["U", "é", "*"] where other != text[index] {
                var wrong = text
                wrong[index] = other
                let error = try expectFailure(.invalidKey) { try RecoveryKey(String(wrong)) }
                #expect(error.message.contains("mistake in group \(index / 6 + 1) of 8"))
            }
        }
    }

    @Test func charactersAndGroupsThatChangedPlacesAreFound() throws {
        for _ in 0..<50 {
            let text = Array(RecoveryKey.random().text)
            for index in 0..<text.count - 1 where ![text[index], text[index + 1]].contains("-") {
                var wrong = text
                wrong.swapAt(index, index + 1)
                guard wrong != text else { continue }
                try expectFailure(.invalidKey, saying: "group \(index / 6 + 1) of 8") { try RecoveryKey(String(wrong)) }
            }
            let groups = String(text).split(separator: "-")
            for first in groups.indices {
                for second in groups.indices where second > first {
                    var wrong = groups
                    wrong.swapAt(first, second)
                    let error = try expectFailure(.invalidKey) { try RecoveryKey(wrong.joined(separator: "-")) }
                    #expect(error.message.contains("groups \(first + 1), \(second + 1) of 8"))
                }
            }
        }
    }

    @Test func aMissingOrSuperfluousCharacterIsFoundAndItsGroupNamed() throws {
        let text = RecoveryKey.random().text
        let groups = text.split(separator: "-").map(String.init)
        for index in groups.indices {
            for changed in [String(groups[index].dropLast()), groups[index] + "0"] {
                var wrong = groups
                wrong[index] = changed
                let error = try expectFailure(.invalidKey) { try RecoveryKey(wrong.joined(separator: "-")) }
                #expect(error.message.contains("group \(index + 1) of 8"))
            }
        }
        try expectFailure(.invalidKey, saying: "39 characters") { try RecoveryKey(String(groups.joined().dropLast())) }
    }

    @Test(arguments: [
        "", " ", "-", "a", "\0", String(repeating: "A", count: 100_000), String(repeating: "- ", count: 50),
    ])
    func whatIsNoRecoveryKeyIsRefused(text: String) throws {
        try expectFailure(.invalidKey) { try RecoveryKey(text) }
    }

    @Test(arguments: [
        "", "9f3c", "9f3c-01ab-77de-4e2", "9f3c-01ab-77de-4e200", "9f3c-01ab-77de-4e2g", "９f3c-01ab-77de-4e20",
    ])
    func whatIsNoFingerprintIsNil(text: String) {
        #expect(KeyFingerprint(text) == nil)
    }

    @Test func aFingerprintIsReadInEitherCaseWithAndWithoutHyphens() throws {
        let fingerprint = try #require(KeyFingerprint("9f3c-01ab-77de-4e20"))
        #expect(fingerprint.description == "9f3c-01ab-77de-4e20")
        for text in ["9F3C01AB77DE4E20", "9f3c01ab-77de4e20"] { #expect(KeyFingerprint(text) == fingerprint) }
    }
}

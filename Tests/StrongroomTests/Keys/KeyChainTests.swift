import Strongroom
import Testing

@Suite("Key chains")
struct KeyChainTests {
    @Test func plaintextIsAChainWithoutKeys() throws {
        #expect(KeyChain.plaintext.isPlaintext)
        #expect(KeyChain.plaintext.count == 0)
        #expect(try !KeyChain(.passphrase("a")).isPlaintext)
    }

    @Test(arguments: [
        (Key.passphrase(""), "empty"),
        (.raw([]), "0 bytes"),
        (.raw(Array(repeating: 1, count: 31)), "31 bytes"),
        (.raw(Array(repeating: 1, count: 33)), "33 bytes"),
        (.raw(Array(repeating: 1, count: 32), salt: []), "0 bytes"),
        (.raw(Array(repeating: 1, count: 32), salt: Array(repeating: 1, count: 15)), "15 bytes"),
        (.raw(Array(repeating: 1, count: 32), salt: Array(repeating: 1, count: 17)), "17 bytes"),
    ])
    func aKeyThatCannotBeUsedIsRefusedWithItsPlace(key: Key, reason: String) throws {
        let error = try expectFailure(.invalidKey) { try KeyChain(.passphrase("good"), key) }
        #expect(error.message.contains("Key 2 of the chain"))
        #expect(error.message.contains(reason))
    }

    @Test func anEmptyPassphraseOfBytesIsRefused() throws {
        try expectFailure(.invalidKey) {
            try KeyChain(.passphrase(bytes: UnsafeRawBufferPointer(start: nil, count: 0)))
        }
    }

    @Test func aKeyThatStandsTwiceIsRefusedWithBothPlaces() throws {
        try expectFailure(.invalidKey, saying: "Keys 2 and 4") {
            try KeyChain(.passphrase("a"), .numbered(1), .passphrase("b"), .numbered(1))
        }
    }

    @Test func aPassphraseGivenAsBytesIsTheSameAsItsText() {
        let bytes = Array("пароль\0".utf8)
        #expect(bytes.withUnsafeBytes { Key.passphrase(bytes: $0) } == .passphrase("пароль\0"))
    }
}

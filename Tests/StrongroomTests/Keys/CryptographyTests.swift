import Testing

@testable import Strongroom

/// The published vectors, whichever library does the cryptography.
struct CryptographyTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { $0 != " " }.map { UInt8($0.hexDigitValue ?? 0) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func hex(_ secret: SecretBytes) -> String { secret.withUnsafeBytes { hex($0) } }

    private static func hex(_ bytes: some Collection<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func sha256AsInFIPS180() {
        #expect(
            Self.hex(Digests.sha256(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Self.hex(Digests.sha256([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test(arguments: [
        (CipherSettings.Hash.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (
            .sha512,
            """
            164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
            9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737
            """
        ),
    ])
    func hmacAsInRFC2202And4231(hash: CipherSettings.Hash, expected: String) throws {
        let authentication = try MessageAuthentication(key: SecretBytes(Array("Jefe".utf8)), hash: hash)
        for split in [0, 9, 28] {
            let message = Array("what do ya want for nothing?".utf8)
            let code = message[..<split].withUnsafeBytes { first in
                message[split...].withUnsafeBytes { second in
                    authentication.withCode(of: first, second) { Self.hex($0) }
                }
            }
            #expect(code == expected, "in two parts at \(split)")
        }
    }

    @Test(arguments: [
        (CipherSettings.Hash.sha1, 2, 20, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        (.sha256, 4_096, 32, "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a"),
    ])
    func pbkdf2(hash: CipherSettings.Hash, rounds: Int, count: Int, expected: String) throws {
        let key = try Array("password".utf8).withUnsafeBytes {
            try Cryptography.pbkdf2($0, salt: Array("salt".utf8), hash: hash, rounds: rounds, count: count)
        }
        #expect(Self.hex(key) == expected)
    }

    @Test func scryptAsInRFC7914() throws {
        let key = try Cryptography.scrypt(
            SecretBytes(Array("password".utf8)), salt: Array("NaCl".utf8), rounds: 1_024, blockSize: 8, parallelism: 16,
            count: 64)
        #expect(
            Self.hex(key) == """
                fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
                2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
                """)
    }

    @Test func hkdfAsInRFC5869() {
        let secret = SecretBytes([UInt8](repeating: 0x0b, count: 22))
        let salted = Cryptography.hkdf(
            secret, salt: Self.bytes("000102030405060708090a0b0c"), info: Self.bytes("f0f1f2f3f4f5f6f7f8f9"), count: 42)
        #expect(
            Self.hex(salted)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        #expect(
            Self.hex(Cryptography.hkdf(secret, salt: [], info: [], count: 42))
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    /// Test case 16 of "The Galois/Counter Mode of Operation".
    @Test func gcmOpensWhatOthersSealed() throws {
        let key = SecretBytes(Self.bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
        let header = Self.bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let sealed = Self.bytes(
            """
            cafebabefacedbaddecaf888\
            522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
            8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662\
            76fc6ece0f4e1768cddf8853bb2d551b
            """)
        let plain = try #require(Cryptography.open(sealed, with: key, authenticating: header))
        #expect(
            Self.hex(plain) == """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
                """)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(Cryptography.open(changed, with: key, authenticating: header) == nil, "byte \(index)")
        }
        #expect(Cryptography.open(sealed, with: key, authenticating: header + [0]) == nil)
        #expect(Cryptography.open(sealed, with: .random(count: 32), authenticating: header) == nil)
        #expect(Cryptography.open(Array(sealed.prefix(27)), with: key, authenticating: header) == nil)
        #expect(Cryptography.open([], with: key, authenticating: header) == nil)
    }

    @Test(arguments: [0, 1, 32, 64, 1_000])
    func gcmOpensWhatItSealed(count: Int) throws {
        let (key, content) = (SecretBytes.random(count: 32), SecretBytes.random(count: count))
        let sealed = try (0..<2).map { _ in
            try content.withUnsafeBytes { try Cryptography.seal($0, with: key, authenticating: [1, 2]) }
        }
        #expect(sealed[0] != sealed[1], "the nonces differ")
        #expect(sealed[0].count == 12 + count + 16)
        #expect(Cryptography.open(sealed[0], with: key, authenticating: [1, 2]) == content)
    }

    /// SP 800-38A, F.2.6.
    @Test func cbcDecryptsWhatOthersEncrypted() throws {
        let key = SecretBytes(Self.bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
        let sealed = Self.bytes("f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d")
        var plain = [UInt8](repeating: 0, count: 32)
        try sealed.withUnsafeBytes { sealed in
            try Array(UInt8(0)..<16).withUnsafeBytes { vector in
                try plain.withUnsafeMutableBytes {
                    try Cryptography.decrypt(sealed, with: key, vector: vector, to: $0)
                }
            }
        }
        #expect(Self.hex(plain) == "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    }

    @Test func secretBytesAreComparedByTheirContent() {
        #expect(SecretBytes([1, 2, 3]) == SecretBytes([1, 2, 3]))
        #expect(SecretBytes([1, 2, 3]) != SecretBytes([1, 2, 4]))
        #expect(SecretBytes([1, 2, 3]) != SecretBytes([1, 2]))
        #expect(SecretBytes([]) == SecretBytes([]))
        #expect(SecretBytes.random(count: 32) != SecretBytes.random(count: 32))
        #expect("\(SecretBytes([1]))" == "SecretBytes(1)" && Mirror(reflecting: SecretBytes([1])).children.isEmpty)
    }
}

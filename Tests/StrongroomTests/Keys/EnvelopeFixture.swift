import Foundation
// Internal: nothing public opens an envelope before the opening of stores does.
@testable import Strongroom
import Testing

extension ScryptCost {
    /// The least that is permitted, so that tests with passphrases are quick.
    static let least = ScryptCost(roundsLogarithm: 10, parallelism: 1)
}

extension Date {
    /// A moment that is the same in every run.
    static let fixed = Date(timeIntervalSince1970: 1_700_000_000)
}

extension [UInt8] {
    /// The salt of a database that is not there.
    static let salt = [UInt8](0x30..<0x40)

    /// The same with the check sum at its end made right, as somebody would do who knows the format.
    var withCheckSum: [UInt8] { Digests.stored(dropLast(32)) }

    func flipped(_ index: Int, by mask: UInt8 = 1) -> [UInt8] {
        var copy = self
        copy[index] ^= mask
        return copy
    }
}

extension OpenEnvelope {
    /// An envelope with a slot for each key; passphrases are cheap.
    static func with(_ keys: Key..., dataKeys: DataKeys = .random()) throws -> OpenEnvelope {
        var envelope = try OpenEnvelope(
            databaseSalt: .salt, dataKeys: dataKeys, key: #require(keys.first), label: "key 1", date: .fixed,
            cost: .least)
        for (index, key) in keys.enumerated().dropFirst() {
            try envelope.add(key, label: "key \(index + 1)", date: .fixed, cost: .least)
        }
        return envelope
    }

    func fingerprint(_ index: Int) -> KeyFingerprint { sealed.slots[index].fingerprint }
}

/// Opens what a sidecar's bytes hold.
func openEnvelope(_ bytes: [UInt8], _ keys: Key...) throws -> OpenEnvelope {
    try Envelope(bytes: bytes).open(with: KeyChain(keys))
}

/// Checks that bytes do not open, and gives why.
@discardableResult
func expectDefect(
    _ bytes: [UInt8], _ keys: Key..., sourceLocation: SourceLocation = #_sourceLocation
) throws -> EnvelopeDefect {
    try #require(throws: EnvelopeDefect.self, sourceLocation: sourceLocation) {
        try Envelope(bytes: bytes).open(with: KeyChain(keys))
    }
}

/// A sidecar in a directory.
struct Sidecar {
    let file: EnvelopeFile

    init(_ directory: String) {
        let directory = directory.hasSuffix("/") ? String(directory.dropLast()) : directory
        file = EnvelopeFile(databasePath: "\(directory)/vault.sqlite", name: "vault.sqlite")
    }

    func open(_ keys: Key..., salt: [UInt8]? = .salt) throws -> OpenEnvelope {
        try file.open(with: KeyChain(keys), salt: salt)
    }

    /// Both copies' content; nil for one that is not there.
    var copies: [[UInt8]?] {
        get throws {
            try [file.path, file.copyPath].map { path in
                try FileManager.default.fileExists(atPath: path) ? Array(Data(contentsOf: URL(filePath: path))) : nil
            }
        }
    }

    /// Overwrites a copy; nil removes it.
    func put(_ bytes: [UInt8]?, at path: String) throws {
        if let bytes {
            try Data(bytes).write(to: URL(filePath: path))
        } else if FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func put(_ first: [UInt8]?, _ second: [UInt8]?) throws {
        try put(first, at: file.path)
        try put(second, at: file.copyPath)
    }
}

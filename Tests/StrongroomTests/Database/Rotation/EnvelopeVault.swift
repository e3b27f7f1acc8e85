import Foundation
// Internal: the states between the steps of a rotation are made by hand, which nothing public does.
@testable import Strongroom
import StrongroomTesting
import Testing

/// A directory with a vault whose file has an envelope.
struct EnvelopeVault {
    let directory: TemporaryDirectory
    let sidecar: EnvelopeFile

    /// What lies in the directory when nothing is left of any work.
    static let names = ["vault.sqlite", "vault.sqlite.keys", "vault.sqlite.keys.copy"]

    init() throws {
        directory = try TemporaryDirectory()
        sidecar = Sidecar(directory.path("")).file
    }

    func direct(_ keys: Key...) -> Vault { Vault(directory.path("")) { _ in try KeyChain(keys) } }

    func callAsFunction(_ numbers: UInt8...) -> Vault { self(numbers.map(Key.numbered)) }

    func callAsFunction(_ keys: [Key]) -> Vault {
        Vault(directory.path("")) { _ in try KeyChain(keys) }.with(\.protection, .envelope)
    }

    /// The file's bytes; nobody has it open.
    var file: Data { get throws { try Data(contentsOf: URL(filePath: directory.path("vault.sqlite"))) } }

    var salt: [UInt8] { get throws { try Array(file.prefix(CipherSettings.saltLength)) } }

    /// The envelope's bytes in both copies.
    var copies: [[UInt8]?] { get throws { try Sidecar(directory.path("")).copies } }

    func put(_ first: [UInt8]?, _ second: [UInt8]?) throws { try Sidecar(directory.path("")).put(first, second) }

    /// The envelope as a key opens it.
    ///
    /// - Parameter salt: The file's; nil to read it, which must not be done while this process has the file open.
    func envelope(_ number: UInt8, salt: [UInt8]? = nil) throws -> OpenEnvelope {
        try sidecar.open(with: KeyChain(.numbered(number)), salt: salt ?? self.salt)
    }

    /// Makes an envelope for a file that is not on its data key.
    @discardableResult
    func makeEnvelope(_ key: Key, salt: [UInt8]? = nil) throws -> OpenEnvelope {
        let envelope = try OpenEnvelope(databaseSalt: salt ?? self.salt, key: key, label: "", date: .fixed)
        try sidecar.create(envelope)
        return envelope
    }

    /// Puts a second data key into the envelope, as the rotation of it begins.
    func addDataKey(_ number: UInt8, salt: [UInt8]? = nil) throws {
        var envelope = try envelope(number, salt: salt)
        #expect(try envelope.rewrap(envelope.dataKeys.withSuccessor(), keys: [.numbered(number)]).isEmpty)
        try sidecar.replace(envelope)
    }

    /// Whether the file is on a key that the envelope does not have.
    func isDirectlyOn(_ number: UInt8) throws -> Bool {
        try opens(.numbered(number))
    }

    /// Whether the file is on the newest of one data key.
    func isOnDataKey(_ number: UInt8) throws -> Bool {
        let keys = try envelope(number).fileKeys
        return try keys.count == 1 && opens(keys[0])
    }

    private func opens(_ key: Key) throws -> Bool {
        let file = DatabaseFile(path: sidecar.databasePath, name: "vault.sqlite", busyTimeout: 0, log: nil)
        let derived = try DerivedKey(key, salt: salt, settings: .engineDefault())
        let connection = try file.connect(.existing, key: derived)
        defer { connection.close() }
        do {
            try connection.proveKey()
            return true
        } catch let error as StrongroomError where error.code == .notADatabase {
            return false
        }
    }

    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let names = try DirectorySnapshot(directory.path("")).names
        #expect(names == Self.names, sourceLocation: sourceLocation)
        let copies = try copies
        #expect(copies[0] != nil && copies[0] == copies[1], sourceLocation: sourceLocation)
    }
}

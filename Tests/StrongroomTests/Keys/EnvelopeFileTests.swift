import Foundation
// Internal: nothing public opens an envelope before the opening of stores does.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("The sidecar and its copy")
struct EnvelopeFileTests {
    private let directory = TemporaryDirectory.ofSuite()
    private var sidecar: Sidecar { Sidecar(directory.path("")) }

    private static let old = Key.numbered(1)
    private static let new = Key.numbered(2)

    private func make(_ key: Key = old) throws -> OpenEnvelope {
        let envelope = try OpenEnvelope.with(key)
        try sidecar.file.create(envelope)
        return envelope
    }

    private func rotated(_ envelope: OpenEnvelope, to key: Key = new) throws -> OpenEnvelope {
        var copy = envelope
        try copy.replace(copy.fingerprint(0), with: key, label: "new", date: .fixed)
        return copy
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path("")).sorted() }
    }

    // MARK: Writing

    @Test func twoCopiesAreKeptForTheirOwnerOnly() throws {
        #expect(try !sidecar.file.exists())
        let envelope = try make()
        #expect(try sidecar.file.exists())
        #expect(try names == ["vault.sqlite.keys", "vault.sqlite.keys.copy"])
        for path in [sidecar.file.path, sidecar.file.copyPath] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        #expect(try sidecar.copies == [envelope.bytes, envelope.bytes])
        let opened = try sidecar.open(Self.old)
        #expect(opened.isIntact)
        #expect(opened.dataKeys == envelope.dataKeys)
    }

    @Test func aSidecarIsNotMadeOverAnother() throws {
        let envelope = try make()
        let bytes: [UInt8]? = envelope.bytes
        for copies in [(bytes, nil), (nil, bytes), (bytes, bytes)] {
            try sidecar.put(copies.0, copies.1)
            try expectFailure(.exists) { try sidecar.file.create(.with(Self.new)) }
            #expect(try sidecar.copies == [copies.0, copies.1])
        }
    }

    @Test func anEnvelopeThatAKillHasLeftBecomesACopyOfItsOwnFileOnly() throws {
        struct Refused: Error {}
        let (left, next) = (try OpenEnvelope.with(Self.old).bytes, try OpenEnvelope.with(Self.new).bytes)
        for (salt, copy) in [([UInt8].salt, left), ([UInt8].salt.reversed(), nil)] {
            try Data(salt + [UInt8](repeating: 0, count: 4_080)).write(to: URL(filePath: sidecar.file.databasePath))
            try sidecar.put(left, at: sidecar.file.nextPath)
            let file = try PlainFile(creating: directory.path("new"))
            #expect(throws: Refused.self) { try sidecar.file.publish(next, with: file) { throw Refused() } }
            #expect(try sidecar.copies == [nil, copy])
            #expect(try names == ["new", "vault.sqlite"] + (copy == nil ? [] : ["vault.sqlite.keys.copy"]))
            try sidecar.put(nil, nil)
            try sidecar.put(nil, at: directory.path("new"))
        }
    }

    @Test func anEnvelopeIsKeptIfItsFileHasItsNameAlready() throws {
        struct Refused: Error {}
        let bytes = try OpenEnvelope.with(Self.old).bytes
        let file = try PlainFile(creating: directory.path("new"))
        #expect(throws: Refused.self) {
            try sidecar.file.publish(bytes, with: file) {
                try file.replace(sidecar.file.databasePath)
                throw Refused()
            }
        }
        #expect(try sidecar.copies == [bytes, bytes])
        #expect(try names == ["vault.sqlite", "vault.sqlite.keys", "vault.sqlite.keys.copy"])
    }

    /// Brings the directory into all states that a kill can leave: after each step, and in the middle of each that
    /// writes. The check leaves it as it was before the first.
    private func crashed(_ steps: [EnvelopeFile.Step], _ check: (String) throws -> Void) throws {
        for count in 0...steps.count {
            try steps.prefix(count).forEach(sidecar.file.carryOut)
            try check("after \(count) steps")
            guard count < steps.count, case .write(let path, let bytes) = steps[count] else { continue }
            for length in [0, 1, 10, bytes.count / 2, bytes.count - 1] {
                try steps.prefix(count).forEach(sidecar.file.carryOut)
                try sidecar.file.carryOut(.write(path, Array(bytes.prefix(length))))
                try check("after \(count) steps and \(length) bytes")
            }
        }
    }

    private static let external = ["1", "2"].compactMap { try? Key.external(ImitatedProvider("imitation:\($0)")) }

    @Test(arguments: [[old, new], external])
    func `wherever a kill interrupts a rotation, the chain opens and the next one is made`(keys: [Key]) throws {
        let envelope = try make(keys[0])
        let rotated = try rotated(envelope, to: keys[1])
        var places: Set<Int?> = []
        try crashed(sidecar.file.steps(rotated.bytes, replacing: true)) { state in
            let opened = try sidecar.open(keys[0], keys[1])
            #expect(opened.dataKeys == envelope.dataKeys, "\(state)")
            places.insert(opened.position)
            // As the opening of a store goes on: it rotates if need be, and completes the copies.
            let next = opened.position == 1 ? opened : rotated
            try sidecar.file.replace(next)
            #expect(try sidecar.open(keys[1]).isIntact, "\(state)")
            #expect(try names == ["vault.sqlite.keys", "vault.sqlite.keys.copy"], "\(state)")
            try sidecar.put(envelope.bytes, envelope.bytes)
        }
        #expect(places == [0, 1])
    }

    @Test func whereverAKillInterruptsTheMakingThereIsNoneOrOneThatOpens() throws {
        let envelope = try OpenEnvelope.with(Self.old)
        try crashed(sidecar.file.steps(envelope.bytes, replacing: false)) { state in
            if try sidecar.file.exists() {
                #expect(try sidecar.open(Self.old).dataKeys == envelope.dataKeys, "\(state)")
            } else {
                try sidecar.file.create(envelope)
            }
            try sidecar.put(nil, nil)
        }
    }

    /// Until the directory is on the disk each name may be what it was before; a name's content is on the disk before
    /// it has the name.
    @Test func whereverThePowerFailsTheChainOpens() throws {
        let envelope = try make()
        let rotated = try rotated(envelope)
        for copies in [(rotated.bytes, envelope.bytes), (envelope.bytes, rotated.bytes)] {
            try sidecar.put(copies.0, copies.1)
            let opened = try sidecar.open(Self.old, Self.new)
            #expect(opened.position == 1)
            #expect(!opened.isIntact)
        }
        let steps = sidecar.file.steps(rotated.bytes, replacing: true)
        let firstName = try #require(steps.firstIndex { if case .rename = $0 { true } else { false } })
        let lastFill = try #require(steps.lastIndex { if case .write = $0 { true } else { false } })
        #expect(lastFill < firstName)
        #expect(steps.last == .synchronize(String(directory.path("").dropLast())))
    }

    @Test func aWritingThatFailsChangesNothing() throws {
        let envelope = try make()
        let hindrance = directory.path(".vault.sqlite.keys.copy.new")
        try FileManager.default.createDirectory(atPath: hindrance, withIntermediateDirectories: false)
        #expect(throws: StrongroomError.self) { try sidecar.file.replace(rotated(envelope)) }
        #expect(try sidecar.copies == [envelope.bytes, envelope.bytes])
        try FileManager.default.removeItem(atPath: hindrance)
        #expect(try names == ["vault.sqlite.keys", "vault.sqlite.keys.copy"])
        #expect(try sidecar.open(Self.old).isIntact)
    }

    // MARK: Lost and damaged copies

    @Test func whateverByteOfOneCopyIsFlippedTheOtherOpensWithTheSameContent() throws {
        let envelope = try make()
        for index in envelope.bytes.indices {
            let forgeries = [envelope.bytes.flipped(index), envelope.bytes.flipped(index).withCheckSum]
            for (number, flipped) in forgeries.enumerated() {
                try sidecar.put(flipped, envelope.bytes)
                do {
                    let opened = try sidecar.open(Self.old)
                    #expect(opened.sealed == envelope.sealed, "byte \(index)")
                    // Where the check sum itself was flipped and made right again, nothing is wrong.
                    #expect(!opened.isIntact || flipped == envelope.bytes, "byte \(index)")
                } catch let error as StrongroomError {
                    // On purpose only: a version that is not known, or a generation that seems newer and no key opens.
                    #expect(number == 1 && [.newerEnvelope, .wrongKey].contains(error.code), "byte \(index): \(error)")
                }
            }
        }
    }

    @Test func bothCopiesFlippedOrCutOffAreRefusedByName() throws {
        let envelope = try make()
        for index in envelope.bytes.indices {
            let flipped = envelope.bytes.flipped(index, by: 0x10)
            try sidecar.put(flipped, flipped)
            let error = try expectFailure(.envelopeDamaged, "byte \(index)") { try sidecar.open(Self.old) }
            #expect(error.message.contains(sidecar.file.path) && error.message.contains("backup"))
            let cut = Array(envelope.bytes.prefix(index))
            try sidecar.put(cut, index % 2 == 0 ? cut : nil)
            try expectFailure(.envelopeDamaged, "length \(index)") { try sidecar.open(Self.old) }
        }
    }

    @Test func aSidecarOfAnotherDatabaseIsNamed() throws {
        let envelope = try make()
        let salt = [UInt8](repeating: 9, count: 16)
        try expectFailure(.foreignEnvelope, saying: "salt") { try sidecar.open(Self.old, salt: salt) }
        // Without the file there is nothing to compare it with, and its data key and salt make the file anew.
        #expect(try sidecar.open(Self.old, salt: nil).fileKeys == envelope.fileKeys)
    }

    @Test func aNewerProgramsSidecarIsNamedAlsoWhenOneCopyIsOlder() throws {
        let envelope = try make()
        let newer = envelope.bytes.flipped(9, by: 3).withCheckSum
        for copies in [(newer, newer), (newer, envelope.bytes), (envelope.bytes, newer)] {
            try sidecar.put(copies.0, copies.1)
            try expectFailure(.newerEnvelope, saying: "version 2") { try sidecar.open(Self.old) }
        }
    }

    @Test func anOlderCopyIsNotOpenedByAKeyThatWasRevoked() throws {
        let envelope = try make()
        try sidecar.put(rotated(envelope).bytes, envelope.bytes)
        try expectFailure(.wrongKey) { try sidecar.open(Self.old) }
        // When the newer one is damaged the older one is all that there is.
        try sidecar.put([0], envelope.bytes)
        #expect(try sidecar.open(Self.old).dataKeys == envelope.dataKeys)
    }

    @Test func whatIsNoFileIsNamed() throws {
        let envelope = try make()
        try FileManager.default.removeItem(atPath: sidecar.file.path)
        try FileManager.default.createSymbolicLink(
            atPath: sidecar.file.path, withDestinationPath: directory.path("elsewhere"))
        #expect(try sidecar.file.exists())
        try expectFailure(.notAFile) { try sidecar.open(Self.old) }
        try FileManager.default.removeItem(atPath: sidecar.file.path)
        try FileManager.default.createDirectory(atPath: sidecar.file.path, withIntermediateDirectories: false)
        try expectFailure(.notAFile) { try sidecar.open(Self.old) }
        try FileManager.default.removeItem(atPath: sidecar.file.path)
        #expect(try sidecar.copies == [nil, envelope.bytes])
    }

    @Test func anOpenStoreIsToldThatItsDataKeyWasReplacedMeanwhile() throws {
        let envelope = try make()
        #expect(try sidecar.file.open(with: envelope.dataKeys, salt: .salt).isIntact)
        var other = envelope
        _ = try other.rewrap(.random(), keys: [Self.old])
        try sidecar.file.replace(other)
        let error = try expectFailure(.wrongKey) { try sidecar.file.open(with: envelope.dataKeys, salt: .salt) }
        #expect(error.message.contains("open it again"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func theOwnerOfTheDatabaseOwnsTheEnvelopeWrittenByAnyUser() throws {
        let envelope = try make()
        for path in [sidecar.file.path, sidecar.file.copyPath] { #expect(chown(path, 12_345, 12_345) == 0) }
        try sidecar.file.replace(rotated(envelope))
        for path in [sidecar.file.path, sidecar.file.copyPath] {
            #expect(try FileStatus.at(path)?.owner == 12_345)
        }
    }
}

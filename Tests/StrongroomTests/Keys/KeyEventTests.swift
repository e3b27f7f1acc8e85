import Foundation
// Internal: changes of an envelope are compared without a file.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("What a change of an envelope does to its slots")
struct KeyEventTests {
    private let keys: [Key] = [.numbered(1), .numbered(2)]
    private let envelope: OpenEnvelope

    init() throws { envelope = try .with(.numbered(1), .numbered(2)) }

    /// The kinds with the labels of the slots before and after.
    private func changes(from old: OpenEnvelope?, to new: OpenEnvelope) -> [String] {
        KeyEvent.changes(from: old, to: new).map { change in
            ([change.kind.description] + [change.previous, change.slot].compactMap { $0?.label })
                .joined(separator: " ")
        }
    }

    private func changes(_ change: (inout OpenEnvelope) throws -> Void) throws -> [String] {
        var changed = envelope
        try change(&changed)
        return changes(from: envelope, to: changed)
    }

    @Test func `a new envelope has added slots, and one that is equal has no change`() throws {
        #expect(changes(from: nil, to: envelope) == ["added key 1", "added key 2"])
        #expect(changes(from: envelope, to: envelope).isEmpty)
    }

    @Test func `slots are added, labelled and revoked`() throws {
        #expect(try changes { try $0.add(.numbered(3), label: "third", date: .fixed) } == ["added third"])
        #expect(try changes { try $0.revoke($0.fingerprint(0)) } == ["revoked key 1"])
        #expect(
            try changes { _ = try $0.label($0.fingerprint(1), "office", keys: keys) } == ["labelled key 2 office"])
        #expect(try changes { _ = try $0.addRecoveryKey(label: "safe", date: .fixed) } == ["added safe"])
    }

    @Test func `what a rotation removes is replaced by what it adds`() throws {
        #expect(
            try changes { try $0.replace($0.fingerprint(0), with: .numbered(3), label: "third", date: .fixed) }
                == ["replaced key 1 third"])
        let thorough = try changes { envelope in
            try envelope.replace(envelope.fingerprint(0), with: .numbered(3), label: "third", date: .fixed)
            try envelope.revoke(envelope.fingerprint(0))
        }
        #expect(thorough == ["replaced key 1 third", "replaced key 2 third"])
        // The current key had its slot before.
        #expect(
            try changes { try $0.replace($0.fingerprint(0), with: .numbered(2), label: "", date: .fixed) }
                == ["revoked key 1"])
    }

    @Test func `a new data key rewraps the slots, and replaces the older one when that is gone`() throws {
        var both = envelope
        _ = try both.rewrap(both.dataKeys.withSuccessor(), keys: keys)
        #expect(changes(from: envelope, to: both) == ["rewrapped key 1 key 1", "rewrapped key 2 key 2"])
        var one = both
        _ = try one.rewrap(#require(both.dataKeys.each.last), keys: keys)
        #expect(changes(from: both, to: one) == ["dataKeyReplaced"])
        var fewer = envelope
        _ = try fewer.rewrap(fewer.dataKeys.withSuccessor(), keys: [.numbered(2)])
        #expect(changes(from: envelope, to: fewer) == ["rewrapped key 2 key 2", "revoked key 1"])
    }

    @Test func `the slot of an external key stays that of its key when its fingerprint changes`() throws {
        let key = try Key.external(ImitatedProvider())
        let envelope = try OpenEnvelope.with(key, .numbered(1))
        var both = envelope
        _ = try both.rewrap(both.dataKeys.withSuccessor(), keys: [key, .numbered(1)])
        #expect(both.fingerprint(0) != envelope.fingerprint(0))
        #expect(changes(from: envelope, to: both) == ["rewrapped key 1 key 1", "rewrapped key 2 key 2"])
    }
}

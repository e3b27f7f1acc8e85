import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct KeysCommandTests {
    struct Count: Decodable { let path: String, keys: Int }
    struct Fingerprints: Decodable {
        struct Key: Decodable { let number: Int, fingerprint: String, isCurrent: Bool }
        let keys: [Key]
    }

    private let ledger: Ledger
    private let path: String

    init() throws {
        ledger = try Ledger()
        path = ledger.directory.path("made/keys")
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func makesAFileForItsOwnerAloneAndShowsNoKey() async throws {
        let run = try await ledger.run("keys", "make", path, "--json")
        #expect(try run.json(Count.self).keys == 1)
        #expect(try mode(path) == 0o600)
        let key = try text(path).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(key.hasPrefix("raw:") && key.count == 68)
        #expect(!run.output.contains(key.dropFirst(4)))
    }

    @Test(arguments: ["\n", "", "\r\n"])
    func appendsAKeyBehindTheOthers(end: String) async throws {
        let keys = try ledger.keyFile()
        try Data((Ledger.secrets[0] + end).utf8).write(to: URL(filePath: keys))
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: keys)
        let run = try await ledger.run("keys", "append", keys, "--json")
        #expect(try run.json(Count.self).keys == 2)
        let lines = try text(keys).split(whereSeparator: \.isNewline)
        #expect(lines.first.map(String.init) == Ledger.secrets[0])
        #expect(lines.last?.hasPrefix("raw:") == true && lines.count == 2)
        #expect(try mode(keys) == 0o400)
        let names = try FileManager.default.contentsOfDirectory(atPath: ledger.directory.path(""))
        #expect(names == ["keys"])
    }

    @Test func appendsAPassphraseThatIsTypedOrPiped() async throws {
        let keys = try ledger.keyFile(Ledger.passphrases[0])
        let typed = try await ledger.run("keys", "append", keys, "--passphrase", "--json", typed: Ledger.passphrases[1])
        #expect(try typed.json(Count.self).keys == 2)
        let piped = try await ledger.run(
            "keys", "append", keys, "--passphrase-stdin", "--json", piped: "\(Ledger.passphrases[2])\n")
        #expect(try piped.json(Count.self).keys == 3)
        #expect(try text(keys) == Ledger.passphrases.map { "\($0)\n" }.joined())
        // One that is there already would be no new key.
        let twice = try await ledger.run("keys", "append", keys, "--passphrase", "--json", typed: Ledger.passphrases[1])
        #expect(twice.status == .configuration)
        #expect(try text(keys) == Ledger.passphrases.map { "\($0)\n" }.joined())
    }

    @Test func aFileThatCannotBeUsedIsNotAppendedTo() async throws {
        let keys = try ledger.keyFile("raw:12")
        let run = try await ledger.run("keys", "append", keys, "--json")
        #expect(run.status == .configuration)
        #expect(try text(keys) == "raw:12\n")
    }

    @Test func fingerprintsTellKeysApartAndAreTheSameEverywhere() async throws {
        let first = try ledger.keyFile(Ledger.secrets[0], Ledger.secrets[1], name: "first")
        let second = try ledger.keyFile(Ledger.secrets[1], Ledger.secrets[2], name: "second")
        let (one, two) = (
            try await ledger.run("keys", "fingerprints", first, "--json").json(Fingerprints.self).keys,
            try await ledger.run("keys", "fingerprints", second, "--json").json(Fingerprints.self).keys
        )
        #expect(one.map(\.number) == [1, 2] && one.map(\.isCurrent) == [false, true])
        #expect(one[1].fingerprint == two[0].fingerprint)
        #expect(Set((one + two).map(\.fingerprint)).count == 3)
        #expect(one.allSatisfy { $0.fingerprint.count == 8 })
    }
}

/// Where a command's keys come from, on a file without a configuration.
struct KeyOptionsTests {
    private let ledger: Ledger

    init() async throws {
        ledger = try Ledger()
        try await ledger.make()
    }

    @Test func aKeyFileOpensIt() async throws {
        let keys = try ledger.keyFile(Ledger.secrets[1], Ledger.secrets[0])
        let run = try await ledger.run("status", "--path", ledger.path(), "--key-file", keys)
        #expect(run.status == .success)
        #expect(run.output.contains("key 2 of 2"))
    }

    @Test func aCredentialOfThePlatformOpensIt() async throws {
        // The directory for temporary files is everybody's.
        let directory = "\(NSHomeDirectory())/strongroom-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let keys = try ledger.keyFile(Ledger.secrets[1], Ledger.secrets[0], name: "mounted", mode: 0o640)
        try FileManager.default.copyItem(atPath: keys, toPath: "\(directory)/mounted")
        await #expect(processExitsWith: .success) {
            [directory = directory as String, path = ledger.path() as String] in
            let ledger = try Ledger()
            let arguments = ["status", path, "--credential"]
            unsetenv("CREDENTIALS_DIRECTORY")
            let unset = try await ledger.run(arguments + ["mounted", "--json"])
            #expect(unset.status == .configuration)
            #expect(try unset.failure().code == "keySource")
            setenv("CREDENTIALS_DIRECTORY", directory, 1)
            #expect(try await ledger.run(arguments + ["missing"]).status == .noInput)
            // An expired one is not mounted, too.
            for fault in BadKeys.all where fault.mode != 0o644 {
                try fault.write(to: "\(directory)/bad")
                let run = try await ledger.fails(arguments + ["bad"], with: fault.code, .configuration)
                #expect(run.errors.contains(fault.advice) || run.errors.contains("can be replaced by"), "\(run)")
            }
            let run = try await ledger.run(arguments + ["mounted"])
            // Unless others can write the home directory of the user, or one above it.
            #expect(run.output.contains("key 2 of 2") || run.errors.contains("can be replaced by"), "\(run.errors)")
        }
    }

    @Test(arguments: BadKeys.all)
    func `a key file that cannot be used is named, with what to do`(fault: BadKeys) async throws {
        let path = ledger.directory.path("bad")
        try fault.write(to: path)
        for command in [["status"], ["convert"], ["backup", "copy.sqlite"], ["check"]] {
            let options = command.dropFirst() + ["--key-file", path]
            let arguments = command == ["check"] ? ["keys", "check", path] : [command[0], ledger.path()] + options
            let run = try await ledger.fails(arguments, with: fault.code, .configuration)
            let message = try run.failure().message
            #expect(message.contains(fault.mode == 0o622 ? "chmod 600" : fault.advice), "\(message)")
            #expect(message.contains(path), "\(message)")
        }
    }

    @Test(arguments: ["%@\r\n", "\n%@\r\n\r\n", "%@"])
    func `line ends of any system are accepted`(form: String) async throws {
        let keys = try ledger.keyFile("")
        try Data(form.replacing("%@", with: Ledger.secrets[0]).utf8).write(to: URL(filePath: keys))
        #expect(try await ledger.run("status", ledger.path(), "--key-file", keys).status == .success)
    }

    @Test func standardInputOpensIt() async throws {
        let run = try await ledger.run(
            "status", ledger.path(), "--key-stdin", piped: "\(Ledger.secrets[0])\n")
        #expect(run.status == .success)
        // Typed at a prompt it is no answer to that option.
        let typed = try await ledger.run("status", ledger.path(), "--key-stdin", typed: Ledger.secrets[0])
        #expect(typed.status == .configuration)
    }

    @Test func aVariableOfTheEnvironmentOpensIt() async throws {
        let name = "STRONGROOM_TEST_\(UInt32.random(in: 0...UInt32.max))"
        setenv(name, Ledger.secrets[0], 1)
        defer { unsetenv(name) }
        #expect(try await ledger.run("status", ledger.path(), "--key-env", name).status == .success)
    }

    @Test func aTypedPassphraseOpensIt() async throws {
        let ledger = try await Ledger.made(keys: [.passphrase(Ledger.passphrases[0])])
        #expect(try await ledger.run("status", ledger.path(), typed: Ledger.passphrases[0]).status == .success)
    }

    @Test func aKeyThatAFileIsToGetIsTypedTwice() async throws {
        let before = try ledger.bytes(ledger.path())
        for (answers, code) in [(["swordfish-one", "swordfish-oen"], "keysDiffer"), (["swordfish-one"], "noKey")] {
            let run = try await ledger.run(["convert", ledger.path(), "--json"], answers: answers)
            #expect(try run.status == .configuration && run.failure().code == code)
            #expect(!run.errors.contains("swordfish"))
        }
        #expect(try ledger.bytes(ledger.path()) == before)
    }

    @Test func withoutAKeyAndATerminalItSaysHowToGiveOne() async throws {
        let run = try await ledger.fails("status", ledger.path(), with: "noKey", .configuration)
        #expect(try run.failure().message.contains("--key-file"))
    }

    @Test func aWrongKeyLeavesTheFileUntouched() async throws {
        let before = try ledger.bytes(ledger.path())
        for command in ["status", "rotate", "convert", "verify"] {
            let run = try await ledger.run(command, ledger.path(), "--json", typed: Ledger.secrets[2])
            #expect(run.status == .configuration, "\(command)")
            #expect(try run.failure().code == "wrongKey", "\(command)")
        }
        #expect(try ledger.bytes(ledger.path()) == before)
    }

    @Test(arguments: ["status", "doctor", "rotate", "convert", "migrate", "verify"])
    func whatIsNotThereIsNotMadeAndNobodyIsAskedForItsKey(command: String) async throws {
        let empty = try Ledger()
        for file in [empty.path(), "ledger.sqlite"] where command != "migrate" || file == "ledger.sqlite" {
            let run = try await empty.run(command, file)
            #expect(run.status == .noInput)
            #expect(run.output.contains("does not exist") || run.errors.contains("There is no file"))
        }
        #expect(!FileManager.default.fileExists(atPath: empty.configuration.directory))
    }

    @Test func aNameWithoutAConfigurationIsRefused() async throws {
        let file = "unknown_\(UInt32.random(in: 0...UInt32.max)).sqlite"
        let run = try await ledger.fails("status", file, with: "noConfiguration")
        #expect(try !run.failure().message.contains("./"))
    }

    /// The key is spelled so that the test of the output does not meet it: the parser repeats what it does not know.
    @Test(arguments: [
        ["--key-stdin", "--plaintext"], ["--key-stdin", "--credential", "keys"], ["--key", "something"],
    ])
    func twoSourcesAndAKeyAsAnArgumentAreWrongUsage(options: [String]) async throws {
        #expect(try await ledger.run(["status", ledger.path()] + options).status == .usage)
    }
}

/// A key file or a credential as it must not be.
struct BadKeys: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let content: [UInt8]
    var mode = 0o600
    var code = "keySource"
    /// What the message says.
    let advice: String

    private init(_ name: String, _ text: String, mode: Int = 0o600, code: String = "keySource", _ advice: String) {
        (testDescription, content, self.mode, self.code, self.advice) = (name, Array(text.utf8), mode, code, advice)
    }

    private init(_ name: String, bytes: [UInt8], _ advice: String) {
        (testDescription, content, self.advice) = (name, bytes, advice)
    }

    static let all: [BadKeys] = [
        BadKeys("empty", "", "contains no key; write one"), BadKeys("of line ends", "\r\n\n", "contains no key"),
        BadKeys("of blanks", " \t\n", "only blanks in line 1"),
        BadKeys("half written", "raw:1111", "not 64 hexadecimal digits; correct it"),
        BadKeys("half a recovery key", "recovery:0000", "an invalid recovery key in line 1"),
        BadKeys("two raw keys in a line", "\(Ledger.secrets[0]) \(Ledger.secrets[1])", "on a line of its own"),
        BadKeys("a passphrase and a raw key", "swordfish-one \(Ledger.secrets[1])", "on a line of its own"),
        BadKeys("a byte order mark", "\u{FEFF}\(Ledger.secrets[0])", "save it without one"),
        BadKeys("UTF-16", bytes: [0xFF, 0xFE, 0x72, 0], "write one passphrase a line"),
        BadKeys(
            "a key twice", "\(Ledger.secrets[0])\n\(Ledger.secrets[0])", code: "invalidKey", "the same; remove one"),
        BadKeys("readable", Ledger.secrets[0], mode: 0o644, "chmod 600"),
        BadKeys("writable", Ledger.secrets[0], mode: 0o622, "chmod go-w"),
    ]

    func write(to path: String) throws {
        try Data(content).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}

@Suite("Slots from a terminal", .ending)
struct KeySlotCommandTests {
    private struct Slot: Decodable {
        let fingerprint, label, created: String
        let isRecovery, isUnknown: Bool
        let key: Int?
        let recoveryKey: String?
    }

    private struct Answer: Decodable { let slots: [Slot] }

    private let ledger: Ledger

    init() throws { ledger = try Ledger(keys: [.passphrase(Ledger.passphrases[0])]).with(\.protection, .envelope) }

    private func slots(of other: Ledger? = nil) async throws -> [Slot] {
        try await (other ?? ledger).run("keys", "slots", "ledger.sqlite", "--json").json(Answer.self).slots
    }

    @Test func slotsAreAddedLabelledAndRevoked() async throws {
        try await ledger.make()
        let first = try #require(try await slots().first)
        #expect(first.label == "key chain: passphrase" && first.key == 1 && !first.isRecovery)
        let keys = try ledger.keyFile(Ledger.secrets[1])
        let run = try await ledger.run(
            "keys", "add", "ledger.sqlite", "--new-key-file", keys, "--label", "second", "--json")
        let added = try run.json(Slot.self)
        #expect(try await slots().map(\.label) == ["key chain: passphrase", "second"])
        #expect(try await slots().map(\.key) == [1, nil])
        let labelled = try await ledger.run("keys", "label", "ledger.sqlite", first.fingerprint, "of the chain")
        #expect(labelled.status == .success, "\(labelled.errors)")
        #expect(try await slots().map(\.label) == ["of the chain", "second"])
        // Only its own key can seal the label.
        try await ledger.fails("keys", "label", "ledger.sqlite", added.fingerprint, "x", with: "keySlot")
        let own = try await ledger.run(
            "keys", "label", "ledger.sqlite", added.fingerprint, "theirs", "--key-file", keys)
        #expect(own.status == .success, "\(own.errors)")
        let table = try await ledger.run("keys", "slots", "ledger.sqlite").output
        #expect(table.contains(added.fingerprint) && table.contains("theirs") && table.contains("of the chain"))
        #expect(try await ledger.run("keys", "revoke", "ledger.sqlite", added.fingerprint).status == .success)
        #expect(try await slots().map(\.label) == ["of the chain"])
        try await ledger.fails("keys", "revoke", "ledger.sqlite", first.fingerprint, with: "keySlot", .usage)
        #expect(try await ledger.run("keys", "revoke", "ledger.sqlite", "12").status == .usage)
    }

    /// Makes the file of a vector of the guide, whose data key and salt are known, with its envelope.
    ///
    /// - Returns: The same ledger with the vector's raw key.
    private func ledger(ofVectorWith slot: String) async throws -> Ledger {
        let vector = try #require(EnvelopeVector.all().first { $0.labels.contains(slot) })
        let file = ledger.with(\.keys, [.raw(vector.dataKeys[0], salt: Array(vector.envelope[10..<26]))])
        try await file.with(\.protection, .direct).make()
        for ending in ["keys", "keys.copy"] {
            try Data(vector.envelope).write(to: URL(filePath: "\(ledger.path()).\(ending)"))
        }
        return ledger.with(\.keys, [.raw([UInt8](repeating: 7, count: 32))])
    }

    @Test func `the slot of an external key is listed with its provider`() async throws {
        let wrapped = try await ledger(ofVectorWith: "token")
        let run = try await wrapped.run("keys", "slots", "ledger.sqlite")
        #expect(run.output.contains("external") && run.output.contains("Provider"))
        #expect(run.output.contains("imitation:database key:1"))
        struct Slots: Decodable {
            struct Slot: Decodable { let external: String? }
            let slots: [Slot]
        }
        let slots = try await wrapped.run("keys", "slots", "ledger.sqlite", "--json").json(Slots.self).slots
        #expect(slots.map(\.external) == [nil, "imitation:database key:1"])
    }

    @Test func `a slot of an unknown kind is listed until it is revoked`() async throws {
        let wrapped = try await ledger(ofVectorWith: "key service")
        #expect(try await slots(of: wrapped).map(\.isUnknown) == [false, true])
        #expect(try await wrapped.run("keys", "slots", "ledger.sqlite").output.contains("unknown"))
        let status = try await wrapped.run("status", "ledger.sqlite")
        #expect(status.output.contains("key 1 of 1 (in the envelope), 1 slot of an unknown kind"), "\(status)")
        struct Status: Decodable {
            struct Detail: Decodable { let unknownSlots: Int }
            let detail: Detail?
        }
        #expect(try await wrapped.run("status", "ledger.sqlite", "--json").json(Status.self).detail?.unknownSlots == 1)
        let unknown = try #require(await slots(of: wrapped).last)
        #expect(try await wrapped.run("keys", "revoke", "ledger.sqlite", unknown.fingerprint).status == .success)
        #expect(try await slots(of: wrapped).map(\.isUnknown) == [false])
        #expect(try await wrapped.run("status", "ledger.sqlite").output.contains("(in the envelope)\n"))
    }

    @Test(arguments: [[], ["--json"]]) func aRecoveryKeyThatNobodyCouldReadIsAFailure(form: [String]) async throws {
        try await ledger.make()
        let (pipe, errors) = (try DescriptorPair.pipe(), TextCapture())
        pipe.closeReading()
        let session = CommandSession(
            console: Console(
                output: ConsoleStream(descriptor: pipe.writing, environment: [:]),
                errors: ConsoleStream(capture: errors)),
            stores: try Stores(ledger.configuration), input: KeyInput(all: { _ in [] }, line: { _ in nil }))
        let status = await StrongroomTool.status(of: ["keys", "recovery", "ledger.sqlite"] + form, in: session)
        #expect(status == .inputOutput)
        let slot = try #require(try await slots().last)
        #expect(slot.isRecovery && errors.text.contains(slot.fingerprint))
    }

    @Test func aRecoveryKeyIsPrintedOnceAndOpensFileAndBackup() async throws {
        try await ledger.make()
        let made = try await ledger.run("keys", "recovery", "ledger.sqlite", "--label", "safe", "--json")
        let slot = try made.json(Slot.self)
        let text = try #require(slot.recoveryKey)
        #expect(slot.isRecovery && slot.label == "safe" && text.count == 47)
        #expect(try await !ledger.run("keys", "slots", "ledger.sqlite").output.contains(text))
        let copy = ledger.directory.path("copy.sqlite")
        let backup = try await ledger.run("backup", "ledger.sqlite", copy)
        #expect(backup.output.contains("\(copy).keys: keep both files together"), "\(backup.output)")
        // The passphrase is lost.
        let paper = try ledger.keyFile("recovery:\(text)", name: "paper")
        for command in ["verify", "tables"] {
            let run = try await ledger.run(command, copy, "--key-file", paper)
            #expect(run.status == .success, "\(run.errors)")
        }
        let after = ledger.with(\.keys, [Ledger.keys[2]])
        let wrong = try await after.fails("restore", copy, "ledger_b.sqlite", with: "wrongKey")
        #expect(try wrong.failure().message.contains("safe, recovery key"))
        let restored = try await after.run(
            "restore", copy, "ledger_b.sqlite", "--backup-key-file", paper, "--adopt-from", "ledger.sqlite")
        #expect(restored.status == .success, "\(restored.errors)")
        #expect(try await after.rows("ledger_b.sqlite") == 3)
        // Or the new key gets a slot.
        let keys = try ledger.keyFile(Ledger.secrets[2])
        let added = try await ledger.run("keys", "add", ledger.path(), "--key-file", paper, "--new-key-file", keys)
        #expect(added.status == .success, "\(added.errors)")
        #expect(try await after.rows() == 3)
    }

    struct Shares: Decodable { let recoveryShares: [String], recoveryKey: String?, isRecovery: Bool }

    @Test func `shares of a recovery key are printed once, and open file and backup`() async throws {
        try await ledger.make()
        let printed = try await ledger.run("keys", "recovery", "ledger.sqlite", "--shares", "2/3").output
        #expect(printed.contains("Any 2 of these 3 shares") && printed.split(separator: "\n").count == 5)
        let run = try await ledger.run("keys", "recovery", "ledger.sqlite", "--shares", "2/3", "--json")
        let shares = try run.json(Shares.self)
        let texts = shares.recoveryShares
        #expect(shares.isRecovery && shares.recoveryKey == nil && texts.count == 3)
        let paper = try ledger.keyFile("share:\(texts[2])", texts[0], name: "paper")
        for command in ["verify", "tables"] {
            let run = try await ledger.run(command, ledger.path(), "--key-file", paper)
            #expect(run.status == .success, "\(run.errors)")
        }
        #expect(try await ledger.run("keys", "check", paper).output.contains("one key"))
        let alone = try ledger.keyFile(texts[1], name: "alone")
        let fewer = try await ledger.fails("tables", ledger.path(), "--key-file", alone, with: "keySource")
        #expect(try fewer.failure().message.contains("1 of 2 shares"))
        // Typed, with a mistake, twice the same, then right.
        let mistake = texts[2].replacing(texts[2].suffix(5), with: "*****")
        let answers = [texts[0], mistake, texts[0], "share:\(texts[2])"]
        let typed = try await ledger.run(["tables", ledger.path()], answers: answers)
        #expect(typed.status == .success)
        #expect(typed.errors.contains("Share 3 of the recovery key has a mistake in group 12 of 12"))
        #expect(typed.errors.contains("given twice") && !typed.errors.contains(texts[0].suffix(11)))
        let first = try await ledger.run(["tables", ledger.path(), "--json"], answers: [mistake])
        #expect(try first.failure().message.contains("group 12 of 12"))
        let ended = try await ledger.run(["tables", ledger.path(), "--json"], answers: [texts[0], ""])
        #expect(try ended.failure().message.contains("1 of 2 shares"))
    }

    @Test func `the plan of a rotation keeps the slot of a public key`() async throws {
        try await ledger.make()
        let pair = ledger.with(\.keys, [.passphrase(Ledger.passphrases[0]), try .privateKey(pem: Self.privateKey)])
        #expect(try await pair.run("rotate", "ledger.sqlite").status == .success)
        let key = try ledger.keyFile(Ledger.secrets[1])
        #expect(try await pair.run("keys", "add", "ledger.sqlite", "--new-key-file", key).status == .success)
        let newer = ledger.with(\.keys, [try .publicKey(pem: Self.publicKey), Ledger.keys[1]])
        let plan = try await newer.run("rotate", "ledger.sqlite", "--dry-run", "--json").output
        #expect(plan.contains(#""due":false"#) && plan.contains(#""losesAccess":[]"#), "\(plan)")
    }

    @Test(arguments: ["1/2", "3/2", "2/17", "3", "2/3/4", "a/b", "/", "-2/3"])
    func `impossible numbers of shares are refused before anything is changed`(shares: String) async throws {
        try await ledger.make()
        #expect(try await ledger.run("keys", "recovery", "ledger.sqlite", "--shares", shares).status == .usage)
        #expect(try await slots().count == 1)
    }

    // As OpenSSL writes them.
    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VuAyEA/oNz1px+0LdJSZ1OsQN8zR9JMAyPIdRYfk+B3/fJyxo=
        -----END PUBLIC KEY-----

        """
    static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEIEiZqG1cyrZNJS1nlRYTi7gML/7/T5pM6F86w0MLF21S
        -----END PRIVATE KEY-----
        """

    @Test func `a public key gets a slot, and its private key opens file and backup`() async throws {
        try await ledger.make()
        let (here, offline) = (
            try ledger.keyFile(Self.publicKey, name: "public.pem", mode: 0o644),
            try ledger.keyFile(Self.privateKey, name: "private.pem")
        )
        let arguments = ["keys", "add", "ledger.sqlite", "--label", "offline", "--public-key"]
        let wrong = try await ledger.fails(arguments + [offline], with: "invalidKey")
        #expect(try wrong.failure().message.contains("is a private key"))
        try await ledger.fails(arguments + [here + ".missing"], with: "fileMissing")
        #expect(try await ledger.run(arguments + [here, "--new-key-file", offline]).status == .usage)
        struct Added: Decodable { let publicKey: String?, isRecovery: Bool, fingerprint: String }
        let added = try await ledger.run(arguments + [here, "--json"]).json(Added.self)
        #expect(added.publicKey == Self.publicKey && added.isRecovery)
        let table = try await ledger.run("keys", "slots", "ledger.sqlite").output
        #expect(table.contains("public") && table.contains("offline"))
        let copy = ledger.directory.path("copy.sqlite")
        #expect(try await ledger.run("backup", "ledger.sqlite", copy).status == .success)
        for file in [ledger.path(), copy] {
            let run = try await ledger.run("tables", file, "--key-file", offline)
            #expect(run.status == .success, "\(run.errors)")
        }
        let piped = try await ledger.run("verify", copy, "--key-stdin", piped: Self.privateKey)
        #expect(piped.status == .success, "\(piped.errors)")
        let after = ledger.with(\.keys, [Ledger.keys[2]])
        let restored = try await after.run(
            "restore", copy, "ledger_b.sqlite", "--backup-key-file", offline, "--adopt-from", "ledger.sqlite")
        #expect(restored.status == .success, "\(restored.errors)")
        #expect(try await after.rows("ledger_b.sqlite") == 3)
        #expect(try await ledger.run("keys", "revoke", "ledger.sqlite", added.fingerprint).status == .success)
        let closed = try await ledger.fails("tables", ledger.path(), "--key-file", offline, with: "wrongKey")
        #expect(!closed.errors.contains("BEGIN"))
    }
}

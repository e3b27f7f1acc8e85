import Foundation
import Strongroom
import StrongroomCommands
import Testing

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

    @Test func aTypedKeyOpensIt() async throws {
        #expect(try await ledger.run("status", ledger.path(), typed: Ledger.secrets[0]).status == .success)
    }

    @Test func aKeyThatAFileIsToGetIsTypedTwice() async throws {
        let before = try ledger.bytes(ledger.path())
        for (command, answers) in [("convert", ["swordfish-one", "swordfish-oen"]), ("convert", ["swordfish-one"])] {
            let typed = Locked(answers)
            let errors = TextCapture()
            let session = CommandSession(
                console: Console(
                    output: ConsoleStream(capture: TextCapture()), errors: ConsoleStream(capture: errors)),
                stores: try Stores(ledger.configuration),
                input: KeyInput(
                    all: { _ in [] },
                    line: { _ in typed.withLock { $0.isEmpty ? nil : Array($0.removeFirst().utf8) } }))
            let status = await StrongroomTool.status(of: [command, ledger.path(), "--json"], in: session)
            #expect(status == .configuration)
            #expect(errors.text.contains(answers.count == 2 ? "keysDiffer" : "noKey"))
            #expect(!errors.text.contains("swordfish"))
        }
        #expect(try ledger.bytes(ledger.path()) == before)
    }

    @Test func withoutAKeyAndATerminalItSaysHowToGiveOne() async throws {
        let run = try await ledger.run("status", ledger.path(), "--json")
        #expect(run.status == .configuration)
        #expect(try run.failure().code == "noKey")
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

    @Test func aFileThatOthersCanReadIsRefused() async throws {
        let keys = try ledger.keyFile(Ledger.secrets[0], mode: 0o644)
        let run = try await ledger.run("status", ledger.path(), "--key-file", keys, "--json")
        #expect(run.status == .configuration)
        #expect(try run.failure().code == "keySource")
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
        let run = try await ledger.run("status", file, "--json")
        #expect(try run.failure().code == "noConfiguration")
        #expect(try !run.failure().message.contains("./"))
    }

    @Test func twoSourcesAreWrongUsage() async throws {
        let run = try await ledger.run("status", ledger.path(), "--key-stdin", "--plaintext")
        #expect(run.status == .usage)
    }

    @Test func aKeyAsAnArgumentIsRefused() async throws {
        // Spelled so that the test of the output does not meet it: the parser repeats what it does not know.
        let run = try await ledger.run("status", ledger.path(), "--key", "something")
        #expect(run.status == .usage)
    }
}

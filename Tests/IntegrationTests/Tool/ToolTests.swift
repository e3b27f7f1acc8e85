import Configurations
import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// The commands as processes of their own: what their tests in one process cannot show.
struct ToolTests {
    private let workshop: ToolWorkshop

    init() throws { workshop = try ToolWorkshop() }

    @Test func helpNamesEveryCommandAndTheExitCodes() async throws {
        let help = try await workshop.run("--help")
        #expect(help.status == 0)
        for command in ["status", "doctor", "rotate", "convert", "migrate", "verify", "keys", "demo"] {
            #expect(help.output.contains("\n  \(command) "))
            let own = try await workshop.run("help", command)
            #expect(own.status == 0 && own.output.contains("USAGE: strongroom \(command)"))
        }
        #expect(help.output.contains("Exit codes"))
    }

    @Test(arguments: ["status", "doctor", "rotate", "convert", "migrate", "verify"])
    func onNothingACommandLeavesNothing(command: String) async throws {
        let run = try await workshop.run(command, "inventory.sqlite")
        #expect(run.status == 66)
        // Nor a key file, which the configuration makes when it is asked for the keys of a new database.
        #expect(try FileManager.default.contentsOfDirectory(atPath: workshop.directory.path("")).isEmpty)
    }

    /// What the manual is made of: swift-argument-parser's plugin asks the tool for this.
    @Test func everyCommandDescribesItselfForTheManual() async throws {
        struct Dump: Decodable { let command: Command }
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable { let name: String }

                let kind: String
                let shouldDisplay: Bool
                let names: [Name]?
                let valueName: String?
                let abstract: String?
            }

            let commandName: String
            let abstract: String?
            let subcommands: [Command]?
            let arguments: [Argument]?

            /// The command and those under it, but for the parser's own.
            var all: [Command] { [self] + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap(\.all) }
        }
        let run = try await workshop.run("--experimental-dump-help")
        #expect(run.status == 0 && run.errors.isEmpty)
        let commands = try JSONDecoder().decode(Dump.self, from: Data(run.output.utf8)).command.all
        let wanted: Set = [
            "strongroom", "status", "doctor", "rotate", "convert", "migrate", "verify", "keys", "make", "append",
            "fingerprints", "check", "tables", "schema", "query", "shell", "export", "import", "backup", "restore",
            "demo",
        ]
        #expect(Set(commands.map(\.commandName)).isSuperset(of: wanted))
        for command in commands {
            #expect(command.abstract?.isEmpty == false, "\(command.commandName)")
            for argument in command.arguments ?? [] where argument.shouldDisplay {
                let name = argument.names?.first?.name ?? argument.valueName ?? argument.kind
                #expect(argument.abstract?.isEmpty == false, "\(command.commandName) \(name)")
            }
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionsAreMade(shell: String) async throws {
        let script = try await workshop.run("--generate-completion-script", shell)
        #expect(script.status == 0 && script.output.contains("fingerprints"))
    }

    /// As with every other command; what lies in the working directory is given with a "/".
    @Test func aNameMeansTheDatabaseAlsoIfAFileOfThatNameExists() async throws {
        try await workshop.make("inventory.sqlite")
        for name in ["inventory.sqlite", "strange.bin"] {
            try Data("no database".utf8).write(to: URL(filePath: workshop.directory.path(name)))
        }
        func doctor(_ file: String) async throws -> (status: Int32, answer: [String: Any]) {
            let run = try await workshop.tool.run(
                ["doctor", file, "--json"],
                under: ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", workshop.directory.path("")],
                environment: workshop.environment)
            return (run.status, try run.json())
        }
        let named = try await doctor("inventory.sqlite")
        #expect(named.status == 0 && named.answer["path"] as? String == workshop.path("inventory.sqlite"))
        for file in ["./inventory.sqlite", "strange.bin"] {
            let found = try await doctor(file)
            #expect(found.status == 65 && found.answer["finding"] as? String == "tooShort", "\(file)")
        }
        #expect(try await doctor("missing.sqlite").status == 66)
    }

    @Test func anotherProcessThatHoldsTheFileIsTold() async throws {
        try await workshop.make("inventory.sqlite")
        let store = try await Stores(workshop.inventory).open("inventory.sqlite")
        let status = try await workshop.run("status", "inventory.sqlite", "--json")
        let forPeople = try await workshop.run("status", "inventory.sqlite")
        let examined = try await workshop.run("doctor", "inventory.sqlite")
        try await store.close()
        #expect(status.status == 0)
        let detail = try #require(try status.json()["detail"] as? [String: Any])
        let holders = try #require(detail["holders"] as? [[String: Any]])
        #if os(Linux)
        // Others may have it: processes that tests beside this one are starting, for as long as a busy machine takes
        // for that.
        #expect(holders.contains { $0["process"] as? Int == Int(ProcessInfo.processInfo.processIdentifier) })
        // What other programs with the same engine may lose is told while one has the file open.
        let isTold = try !EngineFeatures.current().hasWALResetFix
        for text in [forPeople.output, examined.output] {
            #expect(text.contains("WAL-reset race") == isTold, "\(text)")
        }
        #endif
        #expect(!status.output.contains("raw:"))
    }

    @Test func aReaderThatHasSeenEnoughEndsItQuietly() async throws {
        try await workshop.make("inventory.sqlite", "inventory_a.sqlite", "inventory_b.sqlite")
        let script = "\"$0\" status --family inventory --json --at-most 1 | head -n 1; echo ${PIPESTATUS[0]}"
        let run = try await Tool(url: URL(filePath: "/bin/bash")).run(
            ["-c", script, workshop.tool.url.path()], environment: workshop.environment)
        #expect(run.errors.isEmpty)
        #expect(run.output.split(separator: "\n").last == "0")
    }

    @Test func aFullDiskIsNotQuiet() async throws {
        #if os(Linux)
        try await workshop.make("inventory.sqlite")
        let run = try await Tool(url: URL(filePath: "/bin/bash")).run(
            ["-c", "\"$0\" status inventory.sqlite > /dev/full", workshop.tool.url.path()],
            environment: workshop.environment)
        #expect(run.status == 74)
        #endif
    }
}

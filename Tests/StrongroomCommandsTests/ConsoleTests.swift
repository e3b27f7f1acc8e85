import Strongroom
import StrongroomCommands
import Testing

struct ConsoleTests {
    private let output = TextCapture()
    private let errors = TextCapture()

    private func console(isTerminal: Bool = false, environment: [String: String] = [:]) -> Console {
        Console(
            output: ConsoleStream(capture: output, isTerminal: isTerminal, environment: environment),
            errors: ConsoleStream(capture: errors, isTerminal: isTerminal, environment: environment)
        )
    }

    @Test("Results go to the output and the rest to the errors, in whole lines")
    func channels() {
        let console = console()
        console.write("result \("one", .bold)")
        console.write("warning", to: .errors)
        console.write("")
        #expect(output.text == "result one\n\n")
        #expect(errors.text == "warning\n")
        #expect(output.lines == ["result one", ""])
        #expect(console.failure(of: .output) == nil)
    }

    @Test("On a terminal a tab in lines for programs is spaces, and what it would act on is spelled out")
    func tabs() throws {
        let sql = "CREATE TABLE a(\n\tb\n);\r\n\u{1B}"
        try console(isTerminal: true).write(lines: sql)
        #expect(output.text == "CREATE TABLE a(\n    b\n);\n\\u{1B}\n")
    }

    @Test(
        "Colours need a terminal, no NO_COLOR and a TERM that is not dumb",
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
            (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm-256color"], true),
            (false, ["TERM": "xterm-256color"], false), (true, ["NO_COLOR": "0", "TERM": "xterm"], false),
        ] as [(Bool, [String: String], Bool)])
    func colors(isTerminal: Bool, environment: [String: String], usesColors: Bool) {
        let console = console(isTerminal: isTerminal, environment: environment)
        console.write("\("x", .red)")
        #expect(console[.output].usesColors == usesColors)
        #expect(output.text == (usesColors ? "\u{1B}[31mx\u{1B}[0m\n" : "x\n"))
    }

    @Test(
        "Without a terminal's answer the width is COLUMNS or 80",
        arguments: [
            ([:], 80), (["COLUMNS": "132"], 132), (["COLUMNS": "0"], 80), (["COLUMNS": "-4"], 80),
            (["COLUMNS": "wide"], 80), (["COLUMNS": ""], 80), (["COLUMNS": "99999999999999999999"], 80),
        ] as [([String: String], Int)])
    func width(environment: [String: String], width: Int) {
        #expect(console(environment: environment)[.output].width == width)
    }

    @Test("A table is fitted to a terminal and complete anywhere else")
    func tables() {
        var table = TextTable([.leading("Name", isFlexible: true)])
        table.append("abcdefghij")
        console(isTerminal: false, environment: ["COLUMNS": "5"]).write(table)
        #expect(output.lines == ["Name", "──────────", "abcdefghij"])
        console(isTerminal: true, environment: ["COLUMNS": "5", "NO_COLOR": "1"]).write(table, to: .errors)
        #expect(errors.lines == ["Name", "─────", "abcd…"])
    }
}

struct ExitStatusTests {
    @Test("The numbers that scripts rely on do not change")
    func numbers() {
        let numbers = ExitStatus.allCases.map { "\($0) \($0.rawValue)" }
        #expect(
            numbers == [
                "success 0", "failure 1", "usage 64", "dataError 65", "noInput 66", "unavailable 69", "software 70",
                "cannotCreate 73", "inputOutput 74", "temporaryFailure 75", "noPermission 77", "configuration 78",
                "interrupted 130",
            ])
    }

    @Test(
        "The number of a failure of the library does not change either",
        arguments: [
            (StrongroomCommands.ExitStatus.usage, "alreadyOpen invalidArgument invalidName keySlot notAuthorized sql"),
            (
                .dataError,
                """
                constraint copyDamaged damaged damagedLog emptyFile envelopeDamaged newerEnvelope newerReplica \
                newerSchema notADatabase notSupported plaintextHeader replicaDamaged \
                replicaIncomplete truncated writeRefused
                """
            ),
            (.noInput, "fileMissing notAFile replicaMissing"), (.unavailable, "notSQLCipher"),
            (.cannotCreate, "exists"),
            (.inputOutput, "diskFull inputOutput objectStoreUnreachable outcomeUnknown"),
            (.temporaryFailure, "busy keyProvider locked notOwner tooManyOpenFiles"),
            (.noPermission, "permissionDenied unsafeFile"),
            (
                .configuration,
                """
                duplicateConfiguration encryptedFile envelopeMissing foreignEnvelope invalidKey invalidMigrator \
                invalidSetting keySource noConfiguration notDeclared notReplicable objectStore otherDatabase \
                otherMigrations otherReplica plaintextFile wrongKey
                """
            ),
        ])
    func codes(status: StrongroomCommands.ExitStatus, names: String) {
        let found = StrongroomError.Code.all.filter { StrongroomCommands.ExitStatus($0) == status }.map(\.description)
            .sorted()
        #expect(found.joined(separator: " ") == names)
    }
}

import Foundation
import StrongroomTesting
import Testing

@Suite("The tool's data commands", .ending)
struct DataCommandTests {
    private func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test func tablesAreListedForPeopleAndPrograms() async throws {
        let workshop = try await DataWorkshop()
        let people = try await workshop.run("tables")
        #expect(people.status == 0 && people.errors.isEmpty)
        let rows: [[String]] = lines(people.output).map { line in line.split(separator: " ").map(String.init) }
        #expect(Array(rows.suffix(2)) == [["item", "table", "4", "2"], ["part", "table", "2", "0"]])
        let found = try await workshop.run("tables", "--json").json()["tables"] as? [[String: Any]]
        #expect(found?.map { $0["name"] as? String } == ["item", "part"])
        #expect(found?.first?["rows"] as? Int == 2)
    }

    @Test func aQueryIsShownInEachForm() async throws {
        let workshop = try await DataWorkshop()
        let sql = "SELECT id, name, size, data FROM item ORDER BY id"
        #expect(
            lines(try await workshop.run("query", sql).output) == [
                "              id  name       size  data", "────────────────  ─────────  ────  ─────────────",
                "               1  漢字 wide   1.5  x'001B5B324A'", "9007199254740993  o'brien    NULL  NULL",
            ])
        #expect(
            try await workshop.run("query", sql, "--csv").output
                == "id,name,size,data\r\n1,漢字 wide,1.5,ABtbMko=\r\n9007199254740993,o'brien,,\r\n")
        let rows = lines(try await workshop.run("query", sql, "--json").output)
        let last = try #require(try JSONSerialization.jsonObject(with: Data(rows[1].utf8)) as? [String: Any])
        #expect(last["id"] as? Int64 == 9_007_199_254_740_993 && last["size"] is NSNull)
    }

    @Test(arguments: [
        ("DELETE FROM item", "readOnly", 64), ("SELECT 1; DELETE FROM item", "sql", 64), ("SELEC", "sql", 64),
        ("", "sql", 64), ("ATTACH 'x' AS y", "notAuthorized", 64), ("SELECT 9e999 AS x", "notFinite", 65),
    ])
    func whatAQueryMayNotIsAnErrorWithACode(sql: String, code: String, status: Int) async throws {
        let workshop = try await DataWorkshop()
        let outcome = try await workshop.run("query", sql, "--json")
        let error = try outcome.json(\.errors)["error"] as? [String: Any]
        #expect(error?["code"] as? String == code, "\(outcome.errors)")
        #expect(outcome.status == status)
        #expect(try await workshop.run("query", "SELECT count(*) FROM item", "--csv").output == "count(*)\r\n2\r\n")
    }

    @Test func withLeaveAQueryWrites() async throws {
        let workshop = try await DataWorkshop()
        let outcome = try await workshop.run("query", "UPDATE item SET size = 2", "--write")
        #expect(outcome.status == 0 && outcome.errors == "2 rows changed\n" && outcome.output.isEmpty)
    }

    @Test func rowsGoOutAndIn() async throws {
        let workshop = try await DataWorkshop()
        for format in ["csv", "jsonl"] {
            let file = workshop.directory.path("out.\(format)")
            let out = try await workshop.run("export", "item", "--output", file)
            #expect(out.status == 0, "\(out.errors)")
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let again = try await workshop.run("export", "item", "--output", file)
            #expect(again.status == 73 && again.errors.contains("--force"))
            #expect(
                try await workshop.run("export", "item", "--output", file, "--force", "--json").json()["rows"] as? Int
                    == 2)
            _ = try await workshop.run("query", "DELETE FROM item", "--write")
            let back = try await workshop.run("import", "item", file, "--json")
            #expect(try back.json()["inserted"] as? Int == 2, "\(back.errors)")
            #expect(
                try await workshop.run("export", "item", "--format", format).output == workshop.text("out.\(format)"))
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: workshop.directory.path(""))
        #expect(!left.contains { $0.contains("-part") })
    }

    @Test func aNameThatIsNotUTF8IsRefused() async throws {
        let workshop = try await DataWorkshop()
        let outcome = try await workshop.through(#"exec "$@" "$(printf './n\377.db')""#, ["doctor"])
        #expect(outcome.status == 64 && outcome.errors.contains("is not in UTF-8"), "\(outcome)")
    }

    @Test func badLinesAreNamedByTheirNumbers() async throws {
        let workshop = try await DataWorkshop()
        let text = "id,name\n5,five\nsix,six\n7\n8,five\n"
        let people = try await workshop.run("import", "item", "-", input: text)
        #expect(people.status == 65 && people.output.isEmpty)
        #expect(
            people.errors.contains("line 3: column \"id\" takes an integer")
                && people.errors.contains("line 4: 1 field instead of 2"))
        #expect(people.errors.contains("line 5:") && people.errors.contains("UNIQUE"))
        let programs = try await workshop.run("import", "item", "-", "--json", input: text)
        let error = try programs.json(\.errors)["error"] as? [String: Any]
        #expect(error?["code"] as? String == "badLines")
        #expect(try await workshop.run("query", "SELECT count(*) AS n FROM item", "--csv").output == "n\r\n2\r\n")
        let some = try await workshop.run("import", "item", "-", "--skip-bad", input: text)
        #expect(some.status == 0 && some.output == "1 row added, 3 bad lines skipped\n")
        let upsert = try await workshop.run(
            "import", "item", "-", "--upsert-by", "name", "--json", input: "name,size\nfive,55\nnine,9\n")
        #expect(try upsert.json()["updated"] as? Int == 1)
    }

    @Test func aReaderWhoGoesEarlyIsNoFailure() async throws {
        let workshop = try await DataWorkshop()
        let sql =
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT i, \
            hex(zeroblob(50)) FROM n
            """
        for arguments in [["query", workshop.database, sql, "--csv"], ["export", workshop.database, "--query", sql]] {
            let line = "{ \"$@\"; echo \"ended $?\" >&2; } | head -n 2"
            let outcome = try await workshop.through(line, arguments + ["--key-file", workshop.directory.path("keys")])
            #expect(lines(outcome.output).count == 2)
            #expect(outcome.errors == "ended 0\n")
        }
        let full = try await workshop.through(
            "\"$@\" > /dev/full",
            ["query", workshop.database, sql, "--csv", "--key-file", workshop.directory.path("keys")])
        #expect(full.status == 74)
    }

    @Test(.enabled(if: !ThreadSanitizer.isOn, "the thread sanitizer maps terabytes"))
    func aTableOfManyRowsNeedsNoMoreMemory() async throws {
        let workshop = try await DataWorkshop()
        let sql =
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT i, \
            hex(zeroblob(10000)) FROM n
            """
        // The limit of the address space is that of what is mapped, libraries too; a result of 200 MB does not fit
        // under it.
        let line = "ulimit -v 900000; \"$@\" > '\(workshop.directory.path("big.csv"))'"
        let outcome = try await workshop.through(
            line,
            ["export", workshop.database, "--query", sql, "--key-file", workshop.directory.path("keys")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let size = try FileManager.default.attributesOfItem(atPath: workshop.directory.path("big.csv"))[.size] as? Int
        #expect(size ?? 0 > 200_000_000)
    }

    @Test func theSchemaIsShownInEachForm() async throws {
        let workshop = try await DataWorkshop()
        #expect(
            try await workshop.run("schema").output.contains(
                "CREATE TABLE part (item INTEGER NOT NULL REFERENCES item(id), `odd \"name` TEXT);\n"))
        #expect(lines(try await workshop.run("schema", "part").output).count == 1)
        #expect(try await workshop.run("schema", "--mermaid").output.contains("item ||--o{ part : \"item\""))
        #expect(try await workshop.run("schema", "--svg").output.hasPrefix("<svg xmlns="))
        #expect(try await workshop.run("schema", "nothing").status == 64)
        let json = try await workshop.run("schema", "--json").output
        #expect((try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])?.count == 2)
    }

    @Test func theSchemaIsComparedByMeaning() async throws {
        let workshop = try await DataWorkshop()
        let schema = try await workshop.run("schema").output
        try workshop.write(schema.replacing("CREATE TABLE item (", with: "create  table \"ITEM\" (  "), to: "same.sql")
        let same = try await workshop.run("schema", "--check", workshop.directory.path("same.sql"))
        #expect(same.status == 0, "\(same.output)\(same.errors)")
        let changed = schema.replacing(" NOT NULL UNIQUE", with: "") + "CREATE INDEX i ON item (size)"
        try workshop.write(changed, to: "other.sql")
        let other = try await workshop.run("schema", "--check", workshop.directory.path("other.sql"), "--json")
        #expect(other.status == 1)
        let differences = try #require(try other.json()["differences"] as? [String])
        #expect(differences.count == 3, "\(differences)")
        #expect(differences[0].hasPrefix("column \"item.name\": NULL is not allowed in the database, allowed in "))
        #expect(differences[1].hasPrefix("index \"i\" is in "))
        #expect(differences[2].hasPrefix("unique constraint on \"item\" (name) is in the database and missing from "))
        for bad in ["CREATE TABLE item (id)); DROP", "CREATE TABLE t (a); CREATE TABLE t (a);"] {
            #expect(try await workshop.run("schema", "--check", "-", input: bad).status == 65)
        }
        #expect(try await workshop.run("schema", "--check", workshop.directory.path("missing.sql")).status == 66)
    }

    @Test func whatSchemaPrintsIsTheSameSchema() async throws {
        let workshop = try await DataWorkshop()
        for sql in [
            "CREATE VIEW sizes AS SELECT size FROM item -- in metres", "CREATE TABLE mail_data (a)",
            "CREATE VIRTUAL TABLE mail USING fts4 (text)", "CREATE INDEX strongroom_mine ON item (size)",
            "CREATE TABLE bill (price DECIMAL_INTEGER(2), due UNIXTIME_INTEGER)",
        ] {
            #expect(try await workshop.run("query", sql, "--write").status == 0)
        }
        let schema = try await workshop.run("schema").output
        #expect(schema.contains("mail_data") && !schema.contains("mail_segdir"))
        try workshop.write("\u{FEFF}\(schema)-- the end\n", to: "schema.sql")
        let same = try await workshop.run("schema", "--check", workshop.directory.path("schema.sql"))
        #expect(same.status == 0, "\(same.output)\(same.errors)")
        let other = schema.replacing("INTEGER(2)", with: "INTEGER(4)").replacing("UNIXTIME_", with: "UNIXTIME_MS_")
        try workshop.write(other, to: "other.sql")
        let changed = try await workshop.run("schema", "--check", workshop.directory.path("other.sql"), "--json")
        #expect((try changed.json()["differences"] as? [String])?.count == 2, "\(changed.output)")
    }

    @Test func theSchemaOfANewFileNeedsNoDatabase() async throws {
        let workshop = try await DataWorkshop()
        let new = try await workshop.run(["schema", "addressbook_none.sqlite", "--new"])
        #expect(new.output.contains("CREATE TABLE"), "\(new.errors)")
        let same = try await workshop.run(
            ["schema", "addressbook_none.sqlite", "--new", "--check", "-"], input: new.output)
        #expect(same.status == 0, "\(same.output)\(same.errors)")
        let empty = try await workshop.run(["schema", "addressbook_none.sqlite", "--new", "--check", "-"], input: "")
        #expect(empty.status == 1 && empty.output.contains("is in a new file and missing from \"-\""))
        #expect(try await workshop.run(["schema", workshop.database, "--new"]).status == 78)
    }

    @Test func copiesAreMadeAndPutBack() async throws {
        let workshop = try await DataWorkshop()
        try workshop.write("another key\n", to: "other")
        let copy = workshop.directory.path("copy.sqlite")
        let made = try await workshop.run("backup", copy, "--new-key-file", workshop.directory.path("other"), "--json")
        #expect(try made.json()["rows"] as? Int == 2, "\(made.errors)")
        #expect(try await workshop.run("backup", copy).status == 73)
        _ = try await workshop.run("query", "DELETE FROM item", "--write")
        func restore(_ options: String...) async throws -> Tool.Outcome {
            try await workshop.run(
                ["restore", copy, workshop.database, "--key-file", workshop.directory.path("keys")] + options)
        }
        #expect(try await restore().errors.contains("--force"))
        #expect(try await restore("--force").status == 78)
        let back = try await restore("--force", "--backup-key-file", workshop.directory.path("other"))
        #expect(back.status == 0 && back.output.hasPrefix("Restored:"), "\(back.errors)")
        #expect(try await workshop.run("query", "SELECT count(*) AS n FROM item", "--csv").output == "n\r\n2\r\n")
    }

    /// Whenever it is killed, the copy is the one before or the one after, and the next one is made.
    @Test func aKilledBackupLeavesNoHalfFile() async throws {
        let workshop = try await DataWorkshop()
        // Large enough that it takes a while to be copied and read again.
        _ = try await workshop.run(
            "query",
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO part SELECT \
            1, hex(randomblob(100)) FROM n
            """,
            "--write")
        let copy = workshop.directory.path("copy.sqlite")
        let command = ["backup", workshop.database, copy, "--force", "--key-file", workshop.directory.path("keys")]
        func count() async throws -> String {
            let outcome = try await workshop.run("query", "SELECT count(*) AS n FROM item", "--csv", database: copy)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.output
        }
        #expect(try await workshop.tool.run(command).status == 0)
        #expect(try await count() == "n\r\n2\r\n")
        var killed = 0
        var before = 2
        // From the moment at which the copy is begun, and ever later, in milliseconds; and again until one was killed
        // in its middle.
        let delays: [UInt32] = [0, 10, 40]
        var round = 0
        while round < delays.count || (killed == 0 && round < 40) {
            _ = try await workshop.run("query", "INSERT INTO item (name) VALUES ('\(round)')", "--write")
            let tool = try PausedTool(workshop.tool.url, command, in: workshop.directory.url)
            let new = workshop.directory.path(".copy.sqlite.new")
            let hasBegun = try tool.wait { FileManager.default.fileExists(atPath: new) }
            // Not a task's sleep, which is over late on a busy machine.
            usleep(1_000 * (round < delays.count ? delays[round] : 0))
            kill(tool.identifier, SIGKILL)
            let end = try tool.ended()
            if hasBegun, end.status == SIGKILL { killed += 1 }
            let now = try await count()
            #expect(now == "n\r\n\(before)\r\n" || now == "n\r\n\(round + 3)\r\n", "\(now)")
            if now == "n\r\n\(round + 3)\r\n" { before = round + 3 }
            round += 1
        }
        #expect(killed > 0)
        #expect(try await workshop.tool.run(command).status == 0)
        #expect(try await count() == "n\r\n\(round + 2)\r\n")
        let left = try FileManager.default.contentsOfDirectory(atPath: workshop.directory.path(""))
        #expect(!left.contains { $0.hasSuffix(".new") })
    }

    @Test func aScriptGoesThroughTheShell() async throws {
        let workshop = try await DataWorkshop()
        let outcome = try await workshop.run(
            "shell", input: ".mode csv\nSELECT id\nFROM item WHERE id = 1; SELECT 2 AS b;\n.tables\n")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.hasPrefix("id\r\n1\r\nb\r\n2\r\nName"))
        let failing = try await workshop.run("shell", input: "SELECT 1;\nDELETE FROM item;\nSELECT 3;\n")
        #expect(failing.status != 0 && !failing.output.contains("3"))
        for line in [".nosuch", ".mode bogus"] {
            let wrong = try await workshop.run("shell", input: "\(line)\nSELECT 3;\n")
            #expect(wrong.status == 64 && wrong.output.isEmpty, "\(wrong.output)")
        }
        let marked = try await workshop.run("shell", input: "\u{FEFF}.mode csv\nSELECT 4 AS d;\n")
        #expect(marked.status == 0 && marked.output == "d\r\n4\r\n", "\(marked.errors)")
        #expect(!FileManager.default.fileExists(atPath: workshop.directory.path("state/strongroom")))
    }
}

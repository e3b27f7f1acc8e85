import Logging
import Strongroom
import StrongroomTesting
import Testing

@Suite("What a logger is told")
struct LogTests {
    private func use(_ level: Logger.Level, slow: Duration? = nil) async throws -> [CollectedLog.Entry] {
        let log = CollectedLog()
        var vault = Vault(keys: .passphrase("a secret word")).with(\.logger, log.logger(level))
        vault.settings.slowStatement = slow
        vault.migrator = Migrator {
            Migration("1") { db in try db.execute("CREATE TABLE line (number INTEGER UNIQUE, text)") }
        }
        let store = try await vault.open()
        let name = "Ana's address"
        try await store.write { db in
            for number in 4_711..<4_714 { try db.execute("INSERT INTO line VALUES (\(number), \(name))") }
            try db.execute("UPDATE line SET text = 'hidden' -- a comment\n WHERE number > 4711")
        }
        try await store.read { db in
            var numbers: [Int] = []
            try db.forEachRow("SELECT * FROM line WHERE number < 4714 ORDER BY number") { row in
                numbers.append(try row[0])
            }
            #expect(numbers == [4_711, 4_712, 4_713])
        }
        try await store.close()
        return log.entries
    }

    @Test func statementsComeWithTimeAndRowsAndWithoutValues() async throws {
        let entries = try await use(.debug)
        let statements = entries.filter { $0.message == "statement" }
        #expect(statements.allSatisfy { $0.level == .debug && $0.metadata["database"] == "vault.sqlite" })
        let insert = statements.filter { $0.metadata["sql"]?.hasPrefix("INSERT INTO line") == true }
        #expect(insert.map { $0.metadata["rows"] } == ["1", "1", "1"])
        #expect(insert.allSatisfy { $0.metadata["connection"] == "writer" })
        let update = try #require(statements.first { $0.metadata["sql"]?.hasPrefix("UPDATE") == true })
        #expect(update.metadata["sql"] == "UPDATE line SET text = ? WHERE number > ?")
        #expect(update.metadata["rows"] == "2")
        let select = try #require(statements.first { $0.metadata["sql"]?.hasPrefix("SELECT * FROM line") == true })
        #expect(select.metadata["connection"] == "reader" && select.metadata["rows"] == "3")
        for entry in statements { #expect(Double(entry.metadata["milliseconds"] ?? "").map { $0 >= 0 } == true) }
        // Nothing of a value or a key, wherever it stood.
        for entry in entries {
            let text = entry.metadata.values.joined(separator: " ")
            for secret in ["4711", "4712", "Ana", "hidden", "secret", "comment", "PRAGMA key"] {
                #expect(!text.contains(secret), "\(text)")
            }
        }
    }

    @Test func theLibrarysOwnStatementsAreForTrace() async throws {
        #expect(try await !use(.debug).contains { $0.metadata["sql"] == "COMMIT" })
        #expect(try await use(.trace).contains { $0.metadata["sql"] == "COMMIT" && $0.level == .trace })
    }

    @Test func openingAndClosingAreTold() async throws {
        let entries = try await use(.info)
        #expect(entries.map(\.message) == ["opened", "closed"])
        #expect(entries.first?.metadata["outcome"] == "created")
        #expect(entries.first?.metadata["key"] == "1 of 1")
        #expect(entries.first?.metadata["version"] == "1")
    }

    @Test func whatIsSlowIsAWarning() async throws {
        // Everything is as slow as that.
        let slow = try await use(.warning, slow: .zero)
        #expect(!slow.isEmpty && slow.allSatisfy { $0.level == .warning && $0.message == "slow statement" })
        #expect(slow.contains { $0.metadata["sql"]?.hasPrefix("INSERT INTO line") == true })
        #expect(try await use(.warning, slow: .seconds(1_000)).isEmpty)
        #expect(try await use(.warning).isEmpty)
    }
}

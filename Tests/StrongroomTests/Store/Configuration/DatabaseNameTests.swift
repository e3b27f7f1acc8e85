import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Names of databases")
struct DatabaseNameTests {
    @Test(arguments: [
        ("aaa.sqlite", "aaa"),
        ("aaa_bbb.sqlite", "aaa"),
        ("aaa.abc.sqlite", "aaa"),
        ("aaa_bbb", "aaa"),
        ("aaa", "aaa"),
        ("aaa_bbb_ccc.sqlite", "aaa"),
        ("aaa._", "aaa"),
        ("a-b c'd\"e.sqlite", "a-b c'd\"e"),
        ("Straße_é.sqlite", "Straße"),
        ("字.sqlite", "字"),
        ("aaa_\u{301}bbb", "aaa"),
    ])
    func theTargetIsThePartBeforeTheFirstUnderscoreOrDot(fileName: String, target: String) throws {
        let name = try DatabaseName(fileName)
        #expect(name.target == target)
        #expect(name.fileName == fileName)
        #expect(name.description == fileName)
    }

    static let refused = [
        "", ".", "..", "/", "\\", "a/b", "a\\b", "../x", "x/..", "/etc/passwd", "..\\x",
        "a\0", "\0", "a\n", "a\u{1B}[31m", "a\u{7F}", "a\u{85}",
        "_", "_a", ".a", ".a.sqlite", "_a.sqlite",
        String(repeating: "a", count: 201), String(repeating: "é", count: 100) + "a",
    ]

    @Test(arguments: refused)
    func aNameThatCouldLeaveItsDirectoryOrHasNoTargetIsRefused(fileName: String) throws {
        let error = try expectFailure(.invalidName) { try DatabaseName(fileName) }
        #expect(error.message.contains("Use a file's name"))
        // Whatever stands in the name, the message can be printed: a control character would reach the terminal.
        #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test(arguments: refused)
    func aRefusedNameReachesNeitherConfigurationNorFile(fileName: String) async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("inside")) { _ in
            Issue.record("the configuration was asked for keys")
            return .plaintext
        }
        let stores = try Stores(vault)
        try await expectFailure(.invalidName) { try await stores.open(fileName) }
        #expect(try DirectorySnapshot(directory.path("")).names == [])
    }

    @Test(arguments: ["vault_" + String(repeating: "a", count: 194), "vault_" + String(repeating: "é", count: 97)])
    func aNameOfTwoHundredBytesIsTheLongestAndCanBeOpened(fileName: String) async throws {
        #expect(fileName.utf8.count == 200)
        let directory = try TemporaryDirectory()
        let store = try await Stores(Vault(directory.path(""), keys: .numbered(1))).open(fileName)
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        try await store.close()
    }

    @Test func namesAreEqualByTheirText() throws {
        #expect(try DatabaseName("a.sqlite") == DatabaseName("a.sqlite"))
        #expect(try DatabaseName("a.sqlite") != DatabaseName("a_b.sqlite"))
        #expect(try Set([DatabaseName("a"), DatabaseName("a"), DatabaseName("b")]).count == 2)
        #expect(try DatabaseName("a_é") != DatabaseName("a_e\u{301}"))
    }
}

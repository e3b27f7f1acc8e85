import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The tutorial on searching")
struct SearchTutorialTests {
    private static let code = TutorialCode(
        page: "SearchingNotes", directory: "SearchTutorial",
        sources: ["SearchTutorialPlain", "SearchTutorialIndexed", "SearchTutorialLanguages"])

    private let directory: TemporaryDirectory

    private var place: String { directory.path("notes") }

    init() throws { directory = try TemporaryDirectory() }

    // MARK: Its files

    @Test(arguments: code.files)
    func eachFileStandsInASourceThatIsCompiled(file: String) throws {
        let lines = try Self.code.lines(of: file)
        #expect(!lines.isEmpty)
        #expect(try Self.code.isCompiled(lines), "\(file) has lines that are compiled nowhere")
        #expect(try Self.code.isCompiled(lines + ["a planted line"]) == false)
    }

    @Test func eachFileIsShown() throws {
        let shown = try Self.code.shown
        #expect(shown.count >= 10)
        #expect(shown.sorted() == Self.code.files)
        #expect(try Self.code.otherResources.isDisjoint(with: shown))
    }

    @Test func eachCommandIsOneOfTheTool() async throws {
        let outcome = try await ExampleProgram("strongroom").run(["--experimental-dump-help"])
        let tree = try JSONDecoder().decode(CommandTree.Dump.self, from: Data(outcome.output.utf8)).command
        let commands = try Self.code.text.matches(of: /`(strongroom [^`]+)`/).map { String($0.1) }
        #expect(commands.contains("strongroom reindex notes.sqlite"))
        for command in commands {
            #expect(throws: Never.self, "\(command)") { try tree.check(command) }
        }
    }

    // MARK: Its program

    @Test func wordsAreFound() async throws {
        let program = SearchTutorialLanguages()
        let store = try await program.openNotes(in: place)
        #expect(store.openReport.outcome == .created && store.openReport.migration?.to == "2")
        try await program.addNotes(to: store)
        #expect(try await program.titles(with: "cafe MENU", in: store) == ["Café menu"])
        #expect(try await program.titles(with: "cafe", in: store) == ["Café menu", "Paint the kitchen"])
        #expect(try await program.openTitles(with: "cafe", in: store) == ["Café menu"])
        #expect(try await program.titles(with: "\"soup* AND (", in: store) == ["Café menu"])
        #expect(try await program.titles(with: "?!", in: store) == [])
        try await program.printBest(with: "menu", in: store)
        let scores = program.printed.lines.map { Double($0.prefix { $0 != " " }) ?? 0 }
        #expect(program.printed.lines.map { String($0.drop { $0 != " " }) } == [" Café menu", " Shopping"])
        #expect(scores.count == 2 && scores.allSatisfy { $0 > 0 } && scores == scores.sorted(by: >))
        try await store.close()
    }

    @Test func whatIsTypedIsHighlighted() async throws {
        let program = SearchTutorialLanguages()
        let store = try await program.openNotes(in: place)
        try await program.addNotes(to: store)
        try await program.addTravels(to: store)
        for typed in ["menu caf", "cof", "烤鸭"] { try await program.printNotes(for: typed, in: store) }
        let (bold, plain) = ("\u{1B}[1m", "\u{1B}[0m")
        #expect(
            program.printed.lines == [
                "\(bold)Café\(plain) \(bold)menu\(plain)",
                "    Soup of the day,…",
                "Shopping",
                "    \(bold)Coffee\(plain), milk, and a…",
                "Café menu",
                "    …crème brûlée, and \(bold)coffee\(plain)",
                "北京旅行",
                "    …吃\(bold)烤鸭\(plain)，再…",
            ])
        try await store.close()
    }

    @Test func textsOfEachLanguageAreFound() async throws {
        let program = SearchTutorialLanguages()
        let store = try await program.openNotes(in: place)
        try await program.addTravels(to: store)
        for words in ["STRASSBURG munster", "peche", "péché"] {
            #expect(try await program.titles(with: words, in: store) == ["Straßburg"], "\(words)")
        }
        #expect(try await program.titles(with: "烤鸭", in: store) == ["北京旅行"])
        #expect(try await program.titles(with: "鸭烤", in: store) == [])
        #expect(try await program.titles(withExactly: "PÊCHE", in: store) == ["Straßburg"])
        for words in ["peche", "péché"] {
            #expect(try await program.titles(withExactly: words, in: store) == [], "\(words)")
        }
        try await store.close()
    }

    @Test func anExistingFileGetsItsIndexesByTheMigration() async throws {
        let former = try await Stores(SearchTutorialPlain.Notes(directory: place)).open("notes.sqlite")
        let note = SearchTutorialPlain.Note(title: "Café menu", body: "Soup")
        try await former.write { db in try SearchTutorialPlain.Note.insert(note, in: db) }
        try await former.close()

        let indexed = SearchTutorialIndexed()
        let unindexed = try await indexed.openNotes(in: place)
        let error = await #expect(throws: StrongroomError.self) {
            try await indexed.titles(with: "menu", in: unindexed)
        }
        #expect(error?.code == .tableDiffers)
        try await unindexed.close()

        let program = SearchTutorialLanguages()
        let store = try await program.openNotes(in: place)
        #expect(store.openReport.migration?.from == "1" && store.openReport.migration?.applied == ["2"])
        #expect(try await program.titles(with: "cafe", in: store) == ["Café menu"])
        #expect(try await program.titles(withExactly: "café", in: store) == ["Café menu"])
        #expect(try await program.titles(withExactly: "cafe", in: store) == [])
        try await store.close()
    }

    @Test func aNewFileHasItsIndexWithoutAMigration() async throws {
        let indexed = SearchTutorialIndexed()
        let store = try await indexed.openNotes(in: place)
        #expect(store.openReport.outcome == .created && store.openReport.migration?.to == "1")
        try await indexed.addNotes(to: store)
        #expect(try await indexed.titles(with: "soup cafe", in: store) == ["Café menu"])
        try await store.close()
    }

    @Test func anIndexThatDiffersIsFoundAndRebuilt() async throws {
        let program = SearchTutorialLanguages()
        let store = try await program.openNotes(in: place)
        try await program.addNotes(to: store)
        #expect(try await program.check(store))
        try await store.write { db in
            // As a program does that changes the index past its triggers.
            try db.execute("DELETE FROM `strongroom_search_note.exact` WHERE rowid = 1")
        }
        #expect(try await program.check(store) == false)
        try await program.rebuild(store)
        #expect(try await program.check(store))
        #expect(program.printed.lines.count == 2)
        let finding = "full-text index \"exact\" of table \"note\" differs from the table; rebuild it"
        #expect(program.printed.lines.first?.hasSuffix(finding) == true)
        #expect(
            program.printed.lines.last
                == "created anew: strongroom_search_note.text, strongroom_search_note.exact")
        try await store.close()
    }
}

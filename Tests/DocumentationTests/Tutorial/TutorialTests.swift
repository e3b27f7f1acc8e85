import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The tutorial")
struct TutorialTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let catalog = root.appending(path: "Sources/Strongroom/Strongroom.docc")
    private static let code = catalog.appending(path: "Resources/Tutorial")
    private static let stages = ["TutorialFirstVersion", "TutorialSecondVersion", "TutorialSecondKey"]

    private static let files =
        (try? FileManager.default.contentsOfDirectory(atPath: code.path(percentEncoded: false)).sorted()) ?? []

    private static func lines(of file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { $0.drop { $0 == " " } }.filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    /// Whether all lines stand in a source, in their order.
    private static func stands(_ lines: [Substring], in source: [Substring]) -> Bool {
        var rest = lines[...]
        for line in source where line == rest.first { rest = rest.dropFirst() }
        return rest.isEmpty
    }

    @Test(arguments: files)
    func eachFileStandsInASourceThatIsCompiled(file: String) throws {
        let lines = try Self.lines(of: Self.code.appending(path: file))
        #expect(!lines.isEmpty)
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let sources = try Self.stages.map { try Self.lines(of: here.appending(path: "\($0).swift")) }
        #expect(sources.contains { Self.stands(lines, in: $0) }, "\(file) has lines that are compiled nowhere")
        #expect(!sources.contains { Self.stands(lines + ["a planted line"], in: $0) })
    }

    @Test func eachFileIsShown() throws {
        let tutorial = try String(
            contentsOf: Self.catalog.appending(path: "Tutorials/AnAddressBook.tutorial"), encoding: .utf8)
        let shown = tutorial.matches(of: /file: "([^"]+)"/).map { String($0.1) }
        #expect(shown.count >= 10)
        #expect(Set(shown) == Set(Self.files))
    }

    @Test func itComesToWhatItSays() async throws {
        let directory = try TemporaryDirectory()
        let place = directory.path("books")

        let first = TutorialFirstVersion()
        let store = try await first.openAddressBook(in: place)
        #expect(store.opening.outcome == .created && store.opening.migration?.to == "1")
        try await first.addTwo(to: store)
        #expect(try await first.names(beginningWith: "", in: store) == ["Ada", "Grace"])
        #expect(try await first.names(beginningWith: "G", in: store) == ["Grace"])
        try await first.keep(.init(name: "Grace Hopper", email: "grace@example.org"), in: store)
        #expect(try await first.names(beginningWith: "", in: store) == ["Ada", "Grace Hopper"])
        try await store.close()

        let stores = try Stores(TutorialSecondVersion.AddressBook(directory: place))
        let migrated = try await stores.open("addressbook_alice.sqlite")
        #expect(migrated.opening.migration?.from == "1" && migrated.opening.migration?.applied == ["2"])
        #expect(try await migrated.table(TutorialSecondVersion.Contact.self).all().map(\.phone) == [nil, nil])
        try await migrated.close()

        let last = TutorialSecondKey()
        let rotated = try await last.openAddressBook(in: place)
        #expect(rotated.opening.rotation?.from == 0 && rotated.opening.rotation?.to == 1)
        #expect(try await last.check(rotated))
        try await last.addTwo(to: rotated, expecting: .unique)
        try await last.keep(.init(name: "Ada", email: "ada@example.org", phone: "030"), in: rotated)
        #expect(try await last.names(beginningWith: "A", in: rotated) == ["Ada"])
        try await rotated.close()
    }
}

extension TutorialSecondKey {
    /// They are there already.
    fileprivate func addTwo(to store: Store, expecting kind: ConstraintFailure.Kind) async throws {
        await #expect { try await addTwo(to: store) } throws: { error in
            (error as? StrongroomError)?.constraint?.kind == kind
        }
    }
}

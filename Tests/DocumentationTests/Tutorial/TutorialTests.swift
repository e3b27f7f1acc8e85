import Strongroom
import StrongroomTesting
import Testing

@Suite("The tutorial")
struct TutorialTests {
    private static let code = TutorialCode(
        page: "AnAddressBook", directory: "Tutorial",
        sources: ["TutorialFirstVersion", "TutorialSecondVersion", "TutorialSecondKey"])

    @Test(arguments: code.files)
    func eachFileStandsInASourceThatIsCompiled(file: String) throws {
        let lines = try Self.code.lines(of: file)
        #expect(!lines.isEmpty)
        #expect(try Self.code.isCompiled(lines), "\(file) has lines that are compiled nowhere")
        #expect(try !Self.code.isCompiled(lines + ["a planted line"]))
    }

    @Test func eachFileIsShown() throws {
        let shown = try Self.code.shown
        #expect(shown.count >= 10)
        #expect(Set(shown) == Set(Self.code.files))
    }

    @Test func itComesToWhatItSays() async throws {
        let directory = try TemporaryDirectory()
        let place = directory.path("books")

        let first = TutorialFirstVersion()
        let store = try await first.openAddressBook(in: place)
        #expect(store.openReport.outcome == .created && store.openReport.migration?.to == "1")
        try await first.addTwo(to: store)
        #expect(try await first.names(beginningWith: "", in: store) == ["Ada", "Grace"])
        #expect(try await first.names(beginningWith: "G", in: store) == ["Grace"])
        try await first.keep(.init(name: "Grace Hopper", email: "grace@example.org"), in: store)
        #expect(try await first.names(beginningWith: "", in: store) == ["Ada", "Grace Hopper"])
        try await store.close()

        let stores = try Stores(TutorialSecondVersion.AddressBook(directory: place))
        let migrated = try await stores.open("addressbook_alice.sqlite")
        #expect(migrated.openReport.migration?.from == "1" && migrated.openReport.migration?.applied == ["2"])
        #expect(try await migrated.table(TutorialSecondVersion.Contact.self).all().map(\.phone) == [nil, nil])
        try await migrated.close()

        let last = TutorialSecondKey()
        let rotated = try await last.openAddressBook(in: place)
        #expect(rotated.openReport.rotation?.from == 0 && rotated.openReport.rotation?.to == 1)
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

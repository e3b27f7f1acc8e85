import Foundation
public import Strongroom
import StrongroomTesting
import Testing

enum Level: Int, ColumnValue { case low, high }

@Table("article")
public struct Article {
    public var id: Int64?
    public var title: String

    public init(id: Int64? = nil, title: String) {
        self.id = id
        self.title = title
    }
}

@Suite("The examples of \"Tables without boilerplate\" and of the catalog's first page")
struct TablesWithoutBoilerplateExamples {
    @Table("contact", in: "addressbook.sqlite")
    struct Contact: Equatable {
        var id: Int64?  // the primary key, filled in by an insert
        var name: String
        @Column("e-mail", unique: true) var email: String
        var phone: String?
        @Ignored var isSelected = false

        static var indexes: [TableIndex] { [TableIndex(on: columns.name)] }
    }

    @Test func aStructIsATableAndItsRecord() {
        #expect(Contact.schema.columns.map(\.name) == ["id", "name", "e-mail", "phone"])
        #expect(Contact.schema.columns.map(\.isUnique) == [false, false, true, false])
        #expect(Contact.schema.indexes.map(\.columns) == [["name"]])
        #expect(Contact.databaseName == "addressbook.sqlite")
    }

    @Table("reminder")
    struct Reminder: Equatable {
        var id: Int64?
        var text = ""
        var calls: Int = 0
        var level: Level = .low
        var isDone = false
        @Column(as: .json) var tags: [String] = []
        var token: UUID = UUID()  // no default: another value each time
    }

    @Test func anInitialValueIsADefault() throws {
        let token = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"

        let reminder = try Reminder(json: #"{"text": "call", "tags": [], "token": "\#(token)"}"#)

        #expect(reminder == Reminder(text: "call", token: reminder.token))
        #expect(reminder.level == .low && reminder.calls == 0)
    }

    @Test func aPublicTableHasAPublicInitialiser() {
        #expect(Article(title: "a").id == nil)
    }

    @Test func aProgramFindsItsConfigurationByTheNameOfTheDatabase() async throws {
        let home = try TemporaryDirectory()
        for _ in 1...2 {
            let program = try ExampleProgram("ReadmeProgram")
            let outcome = try await program.run(home: home, variables: ["NOTES_KEYS": "a secret"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            // One contact also after the second upsert; then one in the archive, and one in the other table.
            let expected = [#"["Ada"]"#, #"0 ["bob@example.org"]"#, #"["bob@example.org"]"#]
            #expect(Array(outcome.lines.dropFirst()) == expected)
        }
    }
}

#if Macros
import Strongroom
import StrongroomTesting
import Testing

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

    @Test func aProgramFindsItsConfigurationByTheNameOfTheDatabase() async throws {
        let home = try TemporaryDirectory()
        for _ in 1...2 {
            let outcome = try await ExampleProgram("ReadmeProgram").run(home: home)
            #expect(outcome.status == 0, "\(outcome.errors)")
            // One contact also after the second upsert; then one in the archive, and one in the other table.
            let expected = [#"["Ada"]"#, #"0 ["bob@example.org"]"#, #"["bob@example.org"]"#]
            #expect(Array(outcome.lines.dropFirst()) == expected)
        }
    }
}
#endif

import Strongroom
import Testing

@Suite("Merging records")
struct MergeTests {
    private let full = Contact(id: 7, name: "Ada", email: "a", phone: "030", score: 2, photo: [1])

    @Test func fillsWhatIsNilAndNothingElse() throws {
        var contact = Contact(name: "Bo", email: "b")
        try contact.merge(full)
        #expect(contact == Contact(id: 7, name: "Bo", email: "b", phone: "030"))
    }

    @Test func overridingTakesAllThatIsThere() throws {
        var contact = Contact(id: 1, name: "Bo", email: "b", phone: "040")
        try contact.merge(Contact(name: "Cy", email: "c", phone: nil), overriding: true)
        #expect(contact == Contact(id: 1, name: "Cy", email: "c", phone: "040"))
    }

    @Test func aListOfColumnsLimitsIt() throws {
        var contact = Contact(name: "Bo", email: "b")
        try contact.merge(full, overriding: true, columns: ["phone", "name"])
        #expect(contact == Contact(name: "Ada", email: "b", phone: "030"))
    }

    @Test func aRecordOfAnotherTypeGivesTheColumnsThatBothHave() throws {
        var contact = Contact(name: "Bo", email: "b")
        try contact.merge(Purchase(id: 9, buyer: 1, article: "pen", total: 3))
        #expect(contact == Contact(id: 9, name: "Bo", email: "b"))
    }

    @Test func aValueThatDoesNotFitChangesNothing() throws {
        var price = Price(shop: "a", article: 1, label: nil, edition: 1, cents: nil)
        let before = price
        // Its article is a text.
        try expectFailure(.typeMismatch) {
            try price.merge(Purchase(id: 9, buyer: 1, article: "pen", total: 3), overriding: true)
        }
        #expect(price == before)
    }

    @Test func valuesByColumn() throws {
        let values = try full.columnValues()
        #expect(values["phone"] == .text("030"))
        #expect(values["photo"] == .blob([1]))
        #expect(try Contact().columnValues()["phone"] == .null)
        #expect(throws: StrongroomError.self) { try Contact(score: .nan).columnValues() }
    }
}

/// A promise that did not hold.
struct Problem {
    enum Category: String, CaseIterable {
        /// A row that was acknowledged is not there.
        case lost
        /// A row that nobody wrote, or twice, or after an error that said it was not kept; an answer that is not so.
        case wrong
        /// Damage, or other rows than were written, and no error.
        case silent
        /// A process that did not end by itself.
        case hung
    }

    let category: Category
    let text: String

    init(_ category: Category, _ text: String) {
        self.category = category
        self.text = text
    }
}

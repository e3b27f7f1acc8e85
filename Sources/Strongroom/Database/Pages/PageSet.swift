/// A set of page numbers, one bit for each page of a database.
struct PageSet {
    private var words: [UInt64]
    private let pages: Int

    /// - Parameter pages: The number of pages of the database; other page numbers are never in the set.
    init(pages: Int) {
        self.pages = max(0, pages)
        words = Array(repeating: 0, count: self.pages / 64 + 1)
    }

    /// - Parameter numbers: The initial page numbers.
    init(pages: Int, _ numbers: some Sequence<Int>) {
        self.init(pages: pages)
        for number in numbers { insert(number) }
    }

    func contains(_ number: Int) -> Bool {
        guard number > 0, number <= pages else { return false }
        return words[number / 64] & (1 << UInt64(number % 64)) != 0
    }

    /// Adds a page.
    ///
    /// - Returns: Whether the page exists and was not in the set.
    @discardableResult
    mutating func insert(_ number: Int) -> Bool {
        guard number > 0, number <= pages, !contains(number) else { return false }
        words[number / 64] |= 1 << UInt64(number % 64)
        return true
    }
}

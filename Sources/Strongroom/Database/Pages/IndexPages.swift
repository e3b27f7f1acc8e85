/// The pages of an index, read without the engine.
///
/// See "Database File Format", sections 1.6 and 2.1 (sqlite.org/fileformat.html).
struct IndexPages {
    let contents: PageContents

    /// Whether every entry has a number of values, the last of which is the row id, and nothing else. A statement reads
    /// the row id from the last bytes of an entry, and does not see what is before them.
    ///
    /// - Parameters:
    ///   - root: The root page.
    ///   - check: Called before each page; an error that it throws ends the work.
    /// - Returns: False also if that cannot be determined: a page is unreadable, or belongs to no index, or an entry
    ///   has more serial types than fit in its page.
    func haveEntries(ofValues count: Int, root: Int, check: () throws -> Void) throws -> Bool {
        var met = PageSet(pages: contents.pages.count)
        var left = [root]
        while let number = left.popLast() {
            try check()
            guard number > 0, met.insert(number), let content = try contents.content(of: number),
                let page = TreePage(content, isFirst: number == 1), !page.isTable
            else { return false }
            left += page.children
            for index in 0..<page.cellCount {
                guard let payload = page.cell(index)?.payload,
                    RecordFields.isEntry(payload.local, of: payload.length, values: count)
                else { return false }
            }
        }
        return true
    }
}

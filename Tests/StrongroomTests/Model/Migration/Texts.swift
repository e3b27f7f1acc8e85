import Strongroom

extension Reading where Self: ~Copyable {
    /// The first column of every row, as text.
    func texts(_ query: SQL) throws -> [String] {
        var texts: [String] = []
        try forEachRow(query) { row in texts.append(try row[0]) }
        return texts
    }
}

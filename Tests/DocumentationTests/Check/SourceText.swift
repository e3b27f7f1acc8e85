/// The lines of a source file, in which those of an example are looked for.
struct SourceText: Sendable {
    let name: String
    private let lines: [String]
    /// Where each line stands.
    private let places: [String: [Int]]

    init(_ name: String, _ text: String) {
        self.name = name
        lines = text.split(separator: "\n").compactMap(Example.Line.normal)
        places = Dictionary(grouping: lines.indices) { [lines] in lines[$0] }
    }

    /// The first line of an example without its like, where each piece of the example has to stand here whole: its
    /// lines one after the other, without regard to blank lines and to white space.
    ///
    /// - Returns: The line, and how many lines of the example stand here; nil when all of them do.
    func firstMissing(of example: Example) -> (line: Example.Line, found: Int)? {
        var missing: Example.Line?
        var found = 0
        for piece in example.pieces {
            let count = places[piece[0].text, default: []].map { length(of: piece, at: $0) }.max() ?? 0
            found += count
            if count < piece.count { missing = missing ?? piece[count] }
        }
        return missing.map { ($0, found) }
    }

    /// How many lines of a piece stand at a place, one after the other.
    private func length(of piece: [Example.Line], at index: Int) -> Int {
        zip(piece, lines[index...]).prefix { $0.text == $1 }.count
    }
}

extension Example {
    /// Says which line of the example is not compiled: the first that is missing from the source that has most of the
    /// example.
    ///
    /// - Returns: Article, line and what it says; nil when a source has the whole example.
    func complaint(_ sources: [SourceText]) -> String? {
        var nearest: (line: Line, found: Int, source: String)?
        for source in sources {
            guard let missing = source.firstMissing(of: self) else { return nil }
            if missing.found > nearest?.found ?? -1 { nearest = (missing.line, missing.found, source.name) }
        }
        guard let nearest else { return "\(article):\(firstLine): there are no sources" }
        let place = nearest.found == 0 ? "in no source" : "not in \(nearest.source), which comes nearest"
        return "\(article):\(nearest.line.number): \(place): \(nearest.line.text)"
    }
}

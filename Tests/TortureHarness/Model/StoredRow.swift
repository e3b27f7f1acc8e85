/// A row of the table `contact`: a token that is there once, and a payload that follows from it.
struct StoredRow: Hashable {
    let token: String
    let payload: String

    /// The row of a token as it has to be.
    init(token: String) {
        self.token = token
        payload = Self.payload(of: token)
    }

    /// A row as it was read.
    init(token: String, payload: String) {
        self.token = token
        self.payload = payload
    }

    var isAsWritten: Bool { payload == Self.payload(of: token) }

    /// How many rows an argument of a command holds for certain: Linux allows 128 KiB.
    static let mostInAnArgument = 20

    /// Mostly short; one in eight needs overflow pages.
    static func payload(of token: String) -> String {
        var random = RandomSource(seed: RandomSource.hash(token))
        let length = random.oneIn(8) ? random.number(1_500...6_000) : random.number(8...200)
        var text = ""
        while text.utf8.count < length { text += String(random.next(), radix: 36) }
        return text
    }

    /// One statement that inserts rows, without a semicolon.
    static func insertion(_ tokens: [String]) -> String {
        let values = tokens.map { "('\($0)', '\(payload(of: $0))')" }
        return "INSERT INTO contact (name, email) VALUES \(values.joined(separator: ", "))"
    }

    /// The rows as a file for `import`.
    static func csv(_ tokens: [String]) -> String {
        "name,email\n" + tokens.map { "\($0),\(payload(of: $0))\n" }.joined()
    }

    /// The rows of `SELECT name, email FROM contact` as `query --csv` prints them.
    static func parse(csv: String) -> [StoredRow] {
        csv.split(whereSeparator: \.isNewline).dropFirst().map { line in
            let fields = line.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            return StoredRow(token: String(fields[0]), payload: fields.count > 1 ? String(fields[1]) : "")
        }
    }
}

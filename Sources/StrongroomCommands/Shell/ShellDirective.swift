/// A line that is a command of the shell itself.
enum ShellDirective: Equatable {
    case help, tables, quit
    case schema(String?)
    case mode(QueryRun.Form?)
    case unknown(String)

    static let names = [".help", ".mode", ".quit", ".schema", ".tables"]

    /// Nil for SQL.
    init?(_ line: String) {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let name = words.first, name.hasPrefix(".") else { return nil }
        switch name {
        case ".help": self = .help
        case ".tables": self = .tables
        case ".quit", ".exit": self = .quit
        case ".schema": self = .schema(words.count > 1 ? words.dropFirst().joined(separator: " ") : nil)
        case ".mode":
            switch words.count > 1 ? words[1] : "" {
            case "table": self = .mode(.table)
            case "csv": self = .mode(.rows(.csv))
            case "json", "jsonl": self = .mode(.rows(.jsonLines))
            default: self = .mode(nil)
            }
        default: self = .unknown(name)
        }
    }

    static let descriptions: [(name: String, description: String)] = [
        (".help", "this list"),
        (".mode table|csv|json", "the format of results"),
        (".quit", "leave; Control-D, too"),
        (".schema [TABLE]", "the statements that create the tables"),
        (".tables", "the tables with their rows"),
    ]
}

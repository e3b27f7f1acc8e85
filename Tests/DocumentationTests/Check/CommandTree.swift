/// A command of the tool, as its argument parser describes it.
struct CommandTree: Decodable {
    struct Dump: Decodable { let command: CommandTree }

    struct Argument: Decodable {
        struct Name: Decodable { let name: String }

        let kind: String
        let names: [Name]?
        let isRepeating: Bool
    }

    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    let commandName: String
    let subcommands: [CommandTree]?
    let arguments: [Argument]?

    /// Checks that a line names a command, options and no more values than there are.
    ///
    /// - Parameter isGroupEnough: Whether it may end with a command that only stands before others, such as `keys`.
    /// - Throws: ``Mistake`` for the first that is not there.
    func check(_ line: String, isGroupEnough: Bool = false) throws {
        var words = Self.words(line.prefix { $0 != ">" })
        guard words.first == commandName else { throw Mistake(description: "\(line) is no call of \(commandName)") }
        words.removeFirst()
        var command = self
        while let word = words.first, let next = command.subcommands?.first(where: { $0.commandName == word }) {
            command = next
            words.removeFirst()
        }
        if isGroupEnough, words.isEmpty { return }
        guard command.subcommands?.isEmpty ?? true else {
            throw Mistake(description: "\(command.commandName) has no command \(words.first ?? "there")")
        }
        try command.checkValues(words)
    }

    private func checkValues(_ words: [String]) throws {
        var words = words[...]
        var values = 0
        while let word = words.popFirst() {
            guard word.hasPrefix("-"), word.count > 1 else {
                values += 1
                continue
            }
            let name = String(word.drop { $0 == "-" })
            let option = arguments?.first { $0.names?.contains { $0.name == name } == true }
            guard let option else { throw Mistake(description: "\(commandName) has no option \(word)") }
            if option.kind == "option", words.popFirst() == nil {
                throw Mistake(description: "\(commandName) \(word) has no value")
            }
        }
        let positional = arguments?.filter { $0.kind == "positional" } ?? []
        guard values <= positional.count || positional.contains(where: \.isRepeating) else {
            throw Mistake(description: "\(commandName) takes \(positional.count) values and not \(values)")
        }
    }

    /// The words of a line; one in double quotes may have spaces.
    private static func words(_ line: some StringProtocol) -> [String] {
        String(line).matches(of: /"([^"]*)"|(\S+)/).map { String($0.1 ?? $0.2 ?? "") }
    }
}

extension TextTokenizer {
    /// The library's own tokenizers.
    static let builtIn: [TextTokenizer] = [.standard, .keepingMarks, .english]

    /// The library's own tokenizers, and the bytes of their rules.
    static let builtInRules = builtIn.map { (rule: Array($0.rule.utf8), tokenizer: $0) }

    /// The name under which an index refers to it. That of the library's own ends with the version of the rules: a
    /// release with other rules indexes the texts anew.
    var rule: String { isBuiltIn ? "\(name)-\(Self.version)" : name }

    /// - Throws: ``StrongroomError`` with `invalidName` for a name that cannot be kept with an index.
    func checkName() throws {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."): true
            default: false
            }
        }
        guard isBuiltIn || !Self.builtIn.contains(where: { $0.name == name || $0.rule == name }) else {
            throw StrongroomError(
                .invalidName, "The library has a tokenizer \"\(name)\" itself; give yours another name.")
        }
        guard isPlain, (1...255).contains(name.utf8.count) else {
            throw StrongroomError(
                .invalidName,
                """
                The name of a tokenizer consists of letters A to Z, digits, "_" and ".", and has 1 to 255 bytes; give \
                it another name.
                """)
        }
    }
}

/// The state of a line being edited, and the effect of each key. It does no output itself.
struct LineEditing: Sendable {
    /// The action after a key.
    enum Action: Equatable {
        case nothing, redraw
        /// The line is finished.
        case submit(String)
        /// The line is cancelled.
        case interrupt
        /// The input has ended.
        case end
        case clearScreen
        /// The possible completions of the word.
        case show([String])
    }

    /// The possible replacements of the word before the cursor.
    typealias Completer = (_ before: String) -> (length: Int, candidates: [String])

    private(set) var text: [Character] = []
    private(set) var cursor = 0
    private let history: [String]
    private var index: Int
    /// The text before the history was used.
    private var draft: [Character] = []

    /// - Parameter history: Earlier lines, oldest first.
    init(history: [String]) {
        self.history = history
        index = history.count
    }

    mutating func press(_ key: LineKey, completer: Completer) -> Action {
        switch key {
        case .enter: return .submit(String(text))
        case .interrupt: return .interrupt
        case .endOfInput:
            guard !text.isEmpty else { return .end }
            return erase(cursor..<min(cursor + 1, text.count))
        case .clearScreen: return .clearScreen
        case .tab: return complete(completer)
        case .text(let typed): return insert(typed)
        case .up: return recall(index - 1)
        case .down: return recall(index + 1)
        case .backspace: return erase(max(0, cursor - 1)..<cursor)
        case .delete: return erase(cursor..<min(cursor + 1, text.count))
        case .eraseToStart: return erase(0..<cursor)
        case .eraseToEnd: return erase(cursor..<text.count)
        case .eraseWord: return erase(wordStart..<cursor)
        default: return move(key)
        }
    }

    private mutating func move(_ key: LineKey) -> Action {
        switch key {
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(text.count, cursor + 1)
        case .home: cursor = 0
        case .end: cursor = text.count
        case .wordLeft: cursor = wordStart
        case .wordRight: cursor = wordEnd
        default: return .nothing
        }
        return .redraw
    }

    private mutating func insert(_ typed: String) -> Action {
        // Split again: a combining mark becomes part of the character before it.
        let start = max(0, cursor - 1)
        let inserted = Array(String(text[start..<cursor]) + typed)
        text.replaceSubrange(start..<cursor, with: inserted)
        cursor = start + inserted.count
        return .redraw
    }

    private mutating func erase(_ range: Range<Int>) -> Action {
        text.removeSubrange(range)
        cursor = range.lowerBound
        return .redraw
    }

    private mutating func recall(_ wanted: Int) -> Action {
        guard wanted != index, (0...history.count).contains(wanted) else { return .nothing }
        if index == history.count { draft = text }
        index = wanted
        text = wanted == history.count ? draft : Array(history[wanted])
        cursor = text.count
        return .redraw
    }

    private var wordStart: Int {
        var start = cursor
        while start > 0, !Self.isOfWord(text[start - 1]) { start -= 1 }
        while start > 0, Self.isOfWord(text[start - 1]) { start -= 1 }
        return start
    }

    private var wordEnd: Int {
        var end = cursor
        while end < text.count, !Self.isOfWord(text[end]) { end += 1 }
        while end < text.count, Self.isOfWord(text[end]) { end += 1 }
        return end
    }

    private static func isOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

    private mutating func complete(_ completer: Completer) -> Action {
        let (length, candidates) = completer(String(text[..<cursor]))
        guard let first = candidates.first else { return .nothing }
        guard candidates.count > 1 else {
            _ = erase(cursor - length..<cursor)
            return insert(first + " ")
        }
        let common = candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        guard common.count > length else { return .show(candidates) }
        _ = erase(cursor - length..<cursor)
        return insert(common)
    }
}

extension LineEditing {
    /// The part of the line that is displayed, as far as possible from its beginning to the cursor, and the column of
    /// the cursor in it. Takes a time that does not depend on the length of the line: a long one may be pasted, and is
    /// displayed with each character.
    ///
    /// - Parameter room: The width, in cells.
    func visible(_ room: Int) -> (text: String, column: Int) {
        func width(_ index: Int) -> Int { TerminalText.width(of: TerminalText.escaped(String(text[index]))) }
        var (first, column) = (cursor, 0)
        while first > 0, column + width(first - 1) <= room {
            first -= 1
            column += width(first)
        }
        var (last, end) = (cursor, column)
        while last < text.count, end + width(last) <= room {
            end += width(last)
            last += 1
        }
        return (TerminalText.escaped(String(text[first..<last])), column)
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}

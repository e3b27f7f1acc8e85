import Foundation
import Strongroom

/// The places in the sources that throw a code of ``StrongroomError``: a file and the beginning of the message, or the
/// function, where the message is made elsewhere.
struct ThrownCodes {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..").standardized

    private(set) var places: [String: Set<String>] = [:]

    private let codes = Set(StrongroomError.Code.all.map(\.description))

    /// The list: each code, and under it its places.
    var lines: [String] {
        codes.sorted().flatMap { code in [code] + (places[code] ?? []).sorted().map { "    \($0)" } }
    }

    /// Reads every source of the package, except for the declaration of the codes.
    mutating func readSources() throws {
        let sources = Self.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.allObjects ?? []
        for case let file as URL in files where file.pathExtension == "swift" {
            let name = file.deletingPathExtension().lastPathComponent
            guard name != "StrongroomError+Code" else { continue }
            read(try String(contentsOf: file, encoding: .utf8), of: name)
        }
    }

    mutating func read(_ text: String, of file: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
        let source = SourceBytes(Array(code.utf8))
        for name in source.implicitMembers(among: codes) {
            guard let place = source.place(of: name) else { continue }
            places[source.text(name), default: []].insert("\(file): \(place)")
        }
    }
}

/// A source without comments. It is searched as bytes: as characters it takes a minute.
private struct SourceBytes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The names behind a dot without a base, as in `.busy`, that are among some names.
    func implicitMembers(among names: Set<String>) -> [Range<Int>] {
        bytes.indices.dropFirst().compactMap { dot in
            guard bytes[dot] == UInt8(ascii: "."), !Self.endsValue(bytes[dot - 1]) else { return nil }
            let end = bytes[(dot + 1)...].firstIndex { !Self.isWord($0) } ?? bytes.endIndex
            guard end == bytes.endIndex || bytes[end] != UInt8(ascii: "(") else { return nil }
            return names.contains(text(dot + 1..<end)) ? dot + 1..<end : nil
        }
    }

    /// What is thrown with a code; nil where the code is compared, listed or mapped.
    func place(of name: Range<Int>) -> String? {
        let line = lineBefore(name.lowerBound - 1)
        var next = skipBlanks(name.upperBound)
        // The first of two codes: `isMissing ? .fileMissing : .fileChanged, "…"`.
        if line.hasSuffix("?"), byte(next) == UInt8(ascii: ":"), byte(skipBlanks(next + 1)) == UInt8(ascii: ".") {
            next = skipBlanks(bytes[(skipBlanks(next + 1) + 1)...].firstIndex { !Self.isWord($0) } ?? bytes.endIndex)
        }
        if byte(next) == UInt8(ascii: ",") {
            let message = skipBlanks(next + 1)
            if byte(message) == UInt8(ascii: "\"") { return literal(at: message) }
            if line.hasSuffix("StrongroomError(") { return "in \(enclosing(name.lowerBound))" }
        }
        // A message before the code: `failure("…", .notAuthorized)`.
        if line.hasSuffix("\","), let call = line.range(of: "failure(\""),
            line[call.upperBound...].components(separatedBy: "\",").count == 2
        {
            return String(line[call.upperBound...].dropLast(2))
        }
        let isNamed = line.hasSuffix(" code:") || line.hasSuffix("StrongroomError.Code =")
        let isMapped = line.hasSuffix("self =") && isInCode
        let isChosen = (line.hasSuffix(":") || line.hasSuffix("?")) && isOfCode(name.lowerBound)
        return isNamed || isMapped || isChosen ? "in \(enclosing(name.lowerBound))" : nil
    }

    /// Whether an expression is the value of something that is declared as a code.
    private func isOfCode(_ end: Int) -> Bool {
        let before = text(max(0, end - 400)..<end)
        let starts = ["StrongroomError.Code =", "StrongroomError.Code {"]
            .compactMap { before.range(of: $0, options: .backwards)?.upperBound }
        return starts.max().map { !before[$0...].contains("\n\n") } ?? false
    }

    /// Whether the file maps other values to codes.
    private var isInCode: Bool { text(0..<bytes.count).contains("extension StrongroomError.Code") }

    /// The function or property around a position.
    private func enclosing(_ end: Int) -> String {
        for line in text(0..<end).split(separator: "\n").reversed() {
            for (keyword, ends) in [("func ", "(<"), ("var ", ":"), ("init", "(?")] {
                guard let start = line.range(of: keyword), keyword != "var " || line.hasSuffix("{") else { continue }
                let rest = line[start.upperBound...]
                guard keyword != "init" || rest.first.map(ends.contains) ?? false else { continue }
                return keyword == "init" ? "init" : String(rest.prefix { !ends.contains($0) })
            }
        }
        return "the file"
    }

    /// The beginning of a text, with "…" for its values.
    private func literal(at start: Int) -> String {
        let quote = UInt8(ascii: "\"")
        let isLong = bytes[start...].prefix(3).elementsEqual([quote, quote, quote])
        var (index, found) = (start + (isLong ? 3 : 1), "")
        while index < bytes.count, found.count < 70 {
            switch (bytes[index], byte(index + 1)) {
            case (UInt8(ascii: "\\"), UInt8(ascii: "(")):
                var depth = 0
                repeat {
                    index += 1
                    if bytes[index] == UInt8(ascii: "(") { depth += 1 }
                    if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
                } while depth > 0 && index + 1 < bytes.count
                found += "…"
            case (UInt8(ascii: "\\"), UInt8(ascii: "\n")): index += 1
            case (UInt8(ascii: "\\"), let escaped?):
                found += String(decoding: [escaped], as: UTF8.self)
                index += 1
            case (quote, _) where !isLong || bytes[index...].prefix(3).elementsEqual([quote, quote, quote]):
                return Self.words(found)
            case (let byte, _): found += byte < 128 ? String(decoding: [byte], as: UTF8.self) : ""
            }
            index += 1
        }
        return Self.words(found)
    }

    private static func words(_ text: String) -> String {
        text.split { $0 == " " || $0 == "\n" }.joined(separator: " ").prefix(60).trimmingCharacters(in: .whitespaces)
    }

    private func byte(_ index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

    private func skipBlanks(_ index: Int) -> Int {
        bytes[min(index, bytes.endIndex)...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
            ?? bytes.endIndex
    }

    /// The line that ends before a position, or before the blank lines and spaces there.
    private func lineBefore(_ end: Int) -> String {
        let last = bytes[..<end].lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") } ?? 0
        let start = bytes[..<last].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return text(start..<last + 1)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    /// Whether a dot behind the byte has a base.
    private static func endsValue(_ byte: UInt8) -> Bool { isWord(byte) || Array(")]?!\"".utf8).contains(byte) }
}

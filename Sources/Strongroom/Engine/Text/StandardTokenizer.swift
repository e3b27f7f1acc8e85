/// The built-in rules: see ``TextTokenizer``.
struct StandardTokenizer: Sendable {
    let folding: Folding

    /// Whether English words are reduced to their stems.
    let stems: Bool

    /// The encoded terms of a text, separated by one space.
    func terms(of text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            if !stems, let ascii = ASCIITerms.terms(of: bytes) { return ascii }
            var scanner = TermScanner(folding: folding, stems: stems, keepsSpans: false)
            scanner.scan(bytes)
            return String(decoding: scanner.terms, as: UTF8.self)
        }
    }

    /// The tokens of a text, with encoded terms.
    func tokens(in text: String) -> [TextToken] {
        var contiguous = text
        let (terms, spans) = contiguous.withUTF8 { bytes in
            var scanner = TermScanner(folding: folding, stems: stems, keepsSpans: true)
            scanner.scan(bytes)
            return (scanner.terms, scanner.spans)
        }
        var position = (offset: 0, index: text.startIndex)
        return spans.map { span in
            let start = text.utf8.index(position.index, offsetBy: span.source.lowerBound - position.offset)
            position = (span.source.lowerBound, start)
            let end = text.utf8.index(start, offsetBy: span.source.count)
            return TextToken(String(decoding: terms[span.term], as: UTF8.self), start..<end)
        }
    }
}

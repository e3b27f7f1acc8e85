extension TermScanner {
    /// Adds a folded scalar to the open token, or to a new one.
    mutating func append(
        _ scalar: UInt32, _ kind: FoldingEntry.Kind, _ entry: FoldingEntry, from start: Int, to end: Int
    ) {
        switch kind {
        case .separator, .isolated:
            finish()
            return
        case .ignored:
            if open != .none { source = source.lowerBound..<end }
            return
        case .word:
            openToken(.word, at: start)
        case .cluster:
            if open != .cluster || !ClusterScripts.continues(lastScalar, scalar) {
                finish()
                openToken(.cluster, at: start)
            }
        case .mark:
            // A mark of a symbol or of nothing is left out.
            if open == .none { return }
        }
        // Canonical order is ascending between scalars of the class 0.
        if entry.needsComposition || entry.firstClass != 0 && entry.firstClass < lastClass { needsComposition = true }
        if scalarCount < Self.longestWord {
            UTF8Scalar.append(scalar, to: &terms)
            scalarCount += 1
        }
        lastScalar = scalar
        lastClass = entry.lastClass
        source = source.lowerBound..<end
    }

    /// Begins a token, unless one of its kind is open; a cluster is closed before it by the caller.
    mutating func openToken(_ kind: OpenToken, at start: Int) {
        if open == kind { return }
        finish()
        if !terms.isEmpty { terms.append(0x20) }
        open = kind
        termStart = terms.count
        source = start..<start
        scalarCount = 0
        lastScalar = 0
        lastClass = 0
        needsComposition = false
    }

    /// Ends the open token.
    mutating func finish() {
        if open == .none { return }
        if needsComposition { compose() }
        if stems, open == .word { EnglishStemmer.reduce(&terms, from: termStart) }
        if scalarCount > TermEncoding.longestTerm { cut() }
        open = .none
        if terms.count == termStart {
            if termStart > 0 { terms.removeLast() }
        } else if keepsSpans {
            spans.append(Span(term: termStart..<terms.count, source: source))
        }
    }

    private mutating func compose() {
        let term = Normalization.composed(String(decoding: terms[termStart...], as: UTF8.self))
        terms.removeSubrange(termStart...)
        terms.append(contentsOf: term.utf8)
        scalarCount = term.unicodeScalars.count
    }

    /// Removes what follows the first 128 scalars.
    private mutating func cut() {
        var count = 0
        for position in termStart..<terms.count where terms[position] & 0xC0 != 0x80 {
            if count == TermEncoding.longestTerm {
                terms.removeSubrange(position...)
                return
            }
            count += 1
        }
    }
}

import Foundation

/// Foundation's normalisation forms for many short lists of scalars in one call.
enum Normalization {
    /// The canonical decompositions (NFD) of scalars.
    static func canonicalDecompositions(_ scalars: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        split(joined(scalars.map { [$0] }).decomposedStringWithCanonicalMapping)
    }

    /// The compatibility decompositions (NFKD) of scalars.
    static func compatibilityDecompositions(_ scalars: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        split(joined(scalars.map { [$0] }).decomposedStringWithCompatibilityMapping)
    }

    /// The canonical compositions (NFC) of lists of scalars.
    static func compositions(_ lists: [[Unicode.Scalar]]) -> [[Unicode.Scalar]] {
        split(joined(lists).precomposedStringWithCanonicalMapping)
    }

    /// A folded term in canonical order and composed. A combining iota is a letter once the order is canonical.
    static func composed(_ term: String) -> String {
        guard term.unicodeScalars.contains(Folding.combiningIota) else {
            return term.precomposedStringWithCanonicalMapping
        }
        var letters = String.UnicodeScalarView()
        for scalar in term.decomposedStringWithCanonicalMapping.unicodeScalars {
            letters.append(scalar == Folding.combiningIota ? "ι" : scalar)
        }
        return String(letters).precomposedStringWithCanonicalMapping
    }

    // A line feed neither composes nor moves in canonical order.
    private static func joined(_ lists: [[Unicode.Scalar]]) -> String {
        var text = String.UnicodeScalarView()
        for list in lists {
            text.append(contentsOf: list)
            text.append("\n")
        }
        return String(text)
    }

    private static func split(_ text: String) -> [[Unicode.Scalar]] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(Array.init)
    }
}

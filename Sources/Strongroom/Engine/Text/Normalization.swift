import Foundation

/// Foundation's normalisation forms for many short lists of scalars.
///
/// A call for each list takes long because of its fixed cost, a single one because its cost grows with the square of
/// the text's length, so the lists are joined in groups.
enum Normalization {
    /// The canonical decompositions (NFD) of scalars.
    static func canonicalDecompositions(_ scalars: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        grouped(scalars.map { [$0] }) { $0.decomposedStringWithCanonicalMapping }
    }

    /// The compatibility decompositions (NFKD) of scalars.
    static func compatibilityDecompositions(_ scalars: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        grouped(scalars.map { [$0] }) { $0.decomposedStringWithCompatibilityMapping }
    }

    /// The canonical compositions (NFC) of lists of scalars.
    static func compositions(_ lists: [[Unicode.Scalar]]) -> [[Unicode.Scalar]] {
        grouped(lists) { $0.precomposedStringWithCanonicalMapping }
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

    private static func grouped(
        _ lists: [[Unicode.Scalar]], _ normalized: (String) -> String
    ) -> [[Unicode.Scalar]] {
        stride(from: 0, to: lists.count, by: 256).flatMap { start in
            // A line feed neither composes nor moves in canonical order.
            var text = String.UnicodeScalarView()
            for list in lists[start..<min(start + 256, lists.count)] {
                for scalar in list { text.append(scalar) }
                text.append("\n")
            }
            return normalized(String(text)).unicodeScalars
                .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(Array.init)
        }
    }
}

extension StatementRecorder {
    /// The SHA-256 of the statements, in hexadecimal; nil if they cannot be compared.
    var fingerprint: String? {
        guard !isIncomparable else { return nil }
        let digest = Cryptography.sha256(Array(lines.joined(separator: "\n").utf8))
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

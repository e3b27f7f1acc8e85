extension String {
    /// Four texts, joined in one allocation: a text that grows checks its storage with each part.
    static func joining(_ first: String, _ second: String, _ third: String, _ fourth: String) -> String {
        let count = first.utf8.count + second.utf8.count + third.utf8.count + fourth.utf8.count
        return String(unsafeUninitializedCapacity: count) { buffer in
            var end = 0
            func append(_ part: String) {
                end = buffer[end...].update(fromContentsOf: part.utf8)
            }
            append(first)
            append(second)
            append(third)
            append(fourth)
            return end
        }
    }
}

extension BinaryInteger {
    /// The number with a noun for a message, as in "1 page" and "2 pages".
    ///
    /// - Parameter noun: In the singular; its plural ends in "s".
    package func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }

    /// The decimal digits, with leading zeros up to a width.
    func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}

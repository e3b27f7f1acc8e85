extension BinaryInteger {
    /// The number with a noun for a message, as in "1 page" and "2 pages".
    ///
    /// - Parameter noun: In the singular; its plural ends in "s".
    package func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

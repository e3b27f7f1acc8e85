extension Duration {
    /// Whole milliseconds.
    package var milliseconds: Int64 {
        let (whole, overflows) = components.seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflows else { return components.seconds < 0 ? .min : .max }
        let (sum, overflowsAgain) = whole.addingReportingOverflow(components.attoseconds / 1_000_000_000_000_000)
        return overflowsAgain ? whole : sum
    }

    /// Milliseconds with three decimal places, for display.
    var fineMilliseconds: Double { ((self / .microseconds(1)).rounded()) / 1_000 }
}

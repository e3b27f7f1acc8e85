extension Group {
    /// Series in place of comparisons: `Benchmarks/charts` draws them. What is short is measured three times or more,
    /// and the median is reported; the tables of more than 100,000 rows are filled once.
    static let growth = Group(
        "growth", "series: rates by the number of rows, columns, tables and processors, the size of blobs and the WAL"
    ) { workplace in
        var points: [SeriesPoint] = []
        for curve in workplace.curves { points += try await curve.points(in: workplace) }
        return points
    }
}

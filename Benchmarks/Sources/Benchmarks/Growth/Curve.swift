import ArgumentParser
import Foundation
import Strongroom

/// What the group growth makes larger.
enum Curve: String, CaseIterable, ExpressibleByArgument {
    case rows, columns, blobs, tables, wal, processors

    /// Measures the series of the curve, in a directory of its own, which is removed afterwards.
    func points(in workplace: Workplace) async throws -> [SeriesPoint] {
        try FileHandle.standardError.write(contentsOf: Data("  \(rawValue)\n".utf8))
        let place = GrowthPlace(directory: workplace.directory.appending(path: "growth-\(rawValue)"))
        let points =
            switch self {
            case .rows: try await RowsCurve.points(in: place, upTo: workplace.growthRows)
            case .columns: try await ColumnsCurve(place: place).points()
            case .blobs: try await BlobsCurve(place: place).points()
            case .tables: try await TablesCurve(place: place).points()
            case .wal: try await LogCurve(place: place).points()
            case .processors: try await ProcessorsCurve(place: place).points()
            }
        try place.remove()
        return points
    }

    /// A point of one of the curve's series.
    func point(_ series: String, _ x: Int, _ value: Double, _ unit: String) -> SeriesPoint {
        SeriesPoint(series: "\(rawValue): \(series)", x: x, value: value, unit: unit)
    }
}

extension Store {
    /// Waits for the checkpoint that follows a commit, so that the next write does not.
    func waitForCheckpoint() async throws {
        // The checkpoint holds the writer.
        try await write(as: .immediate) { _ in }
    }
}

extension Duration {
    /// How many of a number of things done in this time are done in a second.
    func rate(of count: Int) -> Double { Double(count) / (self / .seconds(1)) }
}

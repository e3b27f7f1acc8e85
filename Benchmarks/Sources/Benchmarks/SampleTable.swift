import Strongroom
import TestData

/// A table of the measures; each has the columns of a ``Sample``.
protocol SampleTable: Table, Record where RecordType == Self {
    /// The column of the sample's name.
    static var textColumn: String { get }

    init(_ sample: Sample)
}

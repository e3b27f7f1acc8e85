extension [ClosedRange<Int64>] {
    /// The same row ids in order, in as few ranges as possible.
    var joined: [ClosedRange<Int64>] {
        sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { ranges, range in
            guard let last = ranges.last, last.upperBound == .max || last.upperBound + 1 >= range.lowerBound else {
                return ranges.append(range)
            }
            ranges[ranges.count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
        }
    }

    /// The row ids that are in none of the other ranges.
    func without(_ others: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        others.reduce(self) { ranges, other in
            ranges.flatMap { range -> [ClosedRange<Int64>] in
                guard range.overlaps(other) else { return [range] }
                var rest: [ClosedRange<Int64>] = []
                if range.lowerBound < other.lowerBound { rest.append(range.lowerBound...other.lowerBound - 1) }
                if range.upperBound > other.upperBound { rest.append(other.upperBound + 1...range.upperBound) }
                return rest
            }
        }
    }
}

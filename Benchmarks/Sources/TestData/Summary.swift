/// What one side has read or written, so that all can be shown to have done the same work.
public struct Summary: Equatable, Sendable {
    public var rows: Int64
    /// Over the sizes and the lengths of the texts and bytes.
    public var sum: Int64

    public init(rows: Int64 = 0, sum: Int64 = 0) {
        self.rows = rows
        self.sum = sum
    }

    public init(_ samples: [Sample]) {
        self.init()
        for sample in samples {
            add(size: sample.size, name: sample.name, digestLength: sample.digest.count, note: sample.note)
        }
    }

    @inlinable
    public mutating func add(size: Int64, name: String, digestLength: Int, note: String?) {
        rows += 1
        sum += size
        sum += Int64(name.utf8.count + digestLength + (note?.utf8.count ?? 0))
    }

    /// A group of a row's children.
    public mutating func add(name: String, count: Int64, longest: Int64?) {
        rows += 1
        sum += Int64(name.utf8.count) + count + (longest ?? 0)
    }

    public mutating func add(_ other: Summary) {
        rows += other.rows
        sum += other.sum
    }

    /// Refuses to time work that was not done.
    public func check(_ expected: Summary) throws {
        guard self == expected else { throw WrongWork(found: self, expected: expected) }
    }

    private struct WrongWork: Error {
        let found: Summary
        let expected: Summary
    }
}

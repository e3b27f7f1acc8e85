import Strongroom
import TestData

/// The record of a blob.
@Table("stored_blob")
struct StoredBlob {
    var id: Int64?
    var content: [UInt8]
}

/// Blobs of more and more bytes, each written and read in a transaction of its own: as a record's property, and in
/// parts of 256 KiB.
///
/// The checkpoint after a write does not count. A rate is that of the median call.
struct BlobsCurve {
    private static let sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
    private static let part = 1 << 18

    let place: GrowthPlace

    func points() async throws -> [SeriesPoint] {
        var points: [SeriesPoint] = []
        for size in Self.sizes {
            let content = [UInt8](repeating: 0x5A, count: size)
            points += try await measure(
                of: content, "record",
                write: { db in try StoredBlob.insert(StoredBlob(content: content), in: db) },
                read: { key, db in try StoredBlob.find(key, in: db)?.content.count ?? 0 })
            points += try await measure(
                of: content, "parts",
                write: { db in
                    let key = try StoredBlob.insert(StoredBlob(content: []), in: db)
                    try StoredBlob.writeBlob(\.content, of: key, size: size, in: db) { blob in
                        for start in stride(from: 0, to: size, by: Self.part) {
                            try blob.append(content[start..<min(size, start + Self.part)])
                        }
                    }
                    return key
                },
                read: { key, db in
                    var count = 0
                    try StoredBlob.withBlob(\.content, of: key, in: db) { blob in
                        try blob.forEachPart(of: Self.part) { count += $0.count }
                    }
                    return count
                })
        }
        return points
    }

    /// Writes as many values as make 20 MB, at least 3 and at most 200, and reads them.
    private func measure(
        of content: [UInt8], _ name: String,
        write: @escaping @Sendable (borrowing WriteTransaction) throws -> Int64,
        read: @escaping @Sendable (Int64, borrowing ReadTransaction) throws -> Int
    ) async throws -> [SeriesPoint] {
        let size = content.count
        let store = try await place.open()
        try await store.write { db in try db.createTable(StoredBlob.schema) }
        var (keys, writes, reads): ([Int64], [Double], [Double]) = ([], [], [])
        for _ in 0..<max(3, min(200, 20_000_000 / size)) {
            let start = ContinuousClock.now
            keys.append(try await store.write(as: .immediate) { db in try write(db) })
            writes.append((ContinuousClock.now - start).rate(of: size))
            try await store.waitForCheckpoint()
        }
        for key in keys {
            let start = ContinuousClock.now
            let count = try await store.read { db in try read(key, db) }
            reads.append((ContinuousClock.now - start).rate(of: size))
            try Summary(rows: 1, sum: Int64(count)).check(Summary(rows: 1, sum: Int64(size)))
        }
        try await store.close()
        try place.remove()
        return [
            Curve.blobs.point("write, \(name)", size, Measure.median(writes) / 1e6, "MB/s"),
            Curve.blobs.point("read, \(name)", size, Measure.median(reads) / 1e6, "MB/s"),
        ]
    }
}

#if S3
internal import Foundation
internal import Strongroom

extension S3ObjectStore {
    /// Reads an object or a part of it.
    ///
    /// ```swift
    /// let header = try await objects.read("2026/07/000001", 0..<100)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The object's name.
    ///   - range: The bytes to read; a range that ends past the object is cut. Nil for all, up to 64 MiB.
    /// - Returns: The bytes; nil if there is no such object.
    /// - Throws: `StrongroomError` with `objectStoreUnreachable` if the service cannot be reached or does not answer in
    ///   time, `objectStore` if it refuses the request; `CancellationError`.
    public func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        var request = S3Request(.get, key: try client.location.key(name))
        let range = range?.clamped(to: 0..<Int.max)
        if let range {
            // HTTP has no empty range; one byte tells whether the object exists.
            request.headers.append(
                ("range", "bytes=\(range.lowerBound)-\(max(range.lowerBound, range.upperBound - 1))"))
            request.partLength = max(1, range.count)
        }
        let response = try await client.send(request)
        switch (response.status, response.code) {
        case (200, _):
            return range.map { Array(response.body[$0.clamped(to: 0..<response.body.count)]) } ?? response.body
        case (206, _):
            guard let range, Self.isPart(response, of: range) else { throw otherRange(name) }
            return range.isEmpty ? [] : response.body
        case (416, _) where range != nil: return []
        case (404, "NoSuchKey"): return nil
        default: throw client.refusal(response)
        }
    }

    /// Whether an answer has the bytes of a range, all that the object has of them.
    private static func isPart(_ response: S3Response, of range: Range<Int>) -> Bool {
        let expected = max(1, range.count)
        guard let header = response.headers["content-range"] else { return response.body.count == expected }
        guard let match = header.wholeMatch(of: /bytes (\d{1,18})-(\d{1,18})\/(\d{1,18}|\*)/),
            let first = Int(match.1), let last = Int(match.2)
        else { return false }
        let isToTheEnd = Int(match.3).map { last == $0 - 1 } ?? false
        return first == range.lowerBound && last - first + 1 == response.body.count
            && (response.body.count == expected || isToTheEnd && response.body.count < expected)
    }

    private func otherRange(_ name: String) -> StrongroomError {
        StrongroomError(
            .objectStore,
            """
            \(client.location) answers with other bytes of "\(name)" than those requested; check for a proxy or cache \
            between this machine and the service.
            """)
    }

    /// Removes objects, in the order given; one that does not exist is no failure.
    ///
    /// Each object is removed by a request of its own, which is sent when the one before it has been answered: where
    /// the removal is interrupted, the objects that are left are the last ones.
    ///
    /// ```swift
    /// try await objects.remove(["2026/07/000001", "2026/07/000002"])
    /// ```
    ///
    /// - Parameter names: The objects' names.
    /// - Throws: `StrongroomError` as ``read(_:_:)``, or `CancellationError`; some of the objects may have been removed
    ///   then.
    public func remove(_ names: [String]) async throws {
        for key in try names.map(client.location.key) {
            let response = try await client.send(S3Request(.delete, key: key))
            guard response.isSuccess || (response.status == 404 && response.code == "NoSuchKey") else {
                throw client.refusal(response)
            }
        }
    }

    /// The time, in seconds since 1970.
    static let systemTime: @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }
}
#endif

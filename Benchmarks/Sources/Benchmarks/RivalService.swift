import Baseline
import Foundation
import TestData

/// The service in C: a thread for each client, one connection for each file.
final class RivalService {
    private struct Failure: Error {
        let result: Int32
    }

    private let path: String
    private let requests: [baseline_request]
    private let row: RivalEntries

    /// - Parameter directory: Has the tenants' files, which nobody else opens.
    init(_ directory: URL) throws {
        path = directory.appending(path: "tenant_%d.sqlite").path(percentEncoded: false)
        requests = ServiceLoad.requests().map { request in
            baseline_request(file: request.tenant, writes: request.isWrite ? 1 : 0, key: request.key)
        }
        row = try RivalEntries(TestData.rows(count: 1))
    }

    func run() throws -> ServiceLoad {
        var times = Array(repeating: 0.0, count: requests.count)
        let duration = try ContinuousClock().measure {
            let result = times.withUnsafeMutableBufferPointer { serve($0.baseAddress) }
            guard result == 0 else { throw Failure(result: result) }
        }
        return ServiceLoad(duration: duration, times: times.map { .seconds($0) })
    }

    private func serve(_ times: UnsafeMutablePointer<Double>?) -> Int32 {
        requests.withUnsafeBufferPointer { requests in
            path.withCString { path in
                TestData.rawKeyText.withCString { key in
                    withUnsafePointer(to: &row.list) { rows in
                        var all = baseline_requests(
                            requests: requests.baseAddress, count: requests.count, clients: ServiceLoad.clients,
                            path: path, key: key, files: ServiceLoad.tenantCount,
                            most_open: ServiceLoad.openStores, page_size: Int64(ServiceLoad.pageSize), rows: rows,
                            times: times)
                        return baseline_serve(&all)
                    }
                }
            }
        }
    }
}

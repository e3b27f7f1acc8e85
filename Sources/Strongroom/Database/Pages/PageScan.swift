import Foundation

/// A check of every page of a database, in portions that are evaluated on all processors.
protocol PageScan: SendableMetatype {
    /// The memory of one thread.
    associatedtype Memory
    /// Pages that were read into the memory of a thread.
    associatedtype Portion
    associatedtype Finding

    /// The pages of the database.
    var pages: DatabasePages { get }

    /// Allocates the memory of a thread.
    ///
    /// - Parameter pages: The number of pages that it has to hold.
    func makeMemory(pages: Int) -> Memory

    /// Reads pages; called by one thread at a time, because the engine's file handles are not made for several.
    ///
    /// What was read is a result, not a state of the memory: with a property of the memory, a release build of Swift
    /// 6.3.1 used the value from before the call.
    func read(_ range: ClosedRange<Int>, into memory: Memory) throws -> Portion

    /// Evaluates the pages that were read, while other threads evaluate others.
    func findings(in portion: Portion, _ memory: Memory) throws -> [Finding]
}

extension PageScan {
    /// Scans all pages.
    ///
    /// - Parameter progress: Called repeatedly on the caller's thread with the number of pages evaluated, at the end
    ///   with all of them; an error that it throws ends the scan.
    /// - Returns: The findings, in the order of the pages.
    func scan(progress: (Int) throws -> Void) throws -> [Finding] {
        let run = PageScanRun(self)
        var reported = 0
        SharedWork.run(
            threads: run.threads, "strongroom.page", others: { run.evaluate { _ in } },
            own: {
                run.evaluate {
                    reported = $0
                    try progress($0)
                }
            })
        let findings = try run.findings()
        if reported < pages.count { try progress(pages.count) }
        return findings
    }
}

/// A scan that several threads share.
// The scan is not changed, memory and portion belong to one thread, and the rest is locked.
private final class PageScanRun<Scan: PageScan>: @unchecked Sendable {  // guarded by its two locks
    private struct State {
        var evaluated = 0
        var findings: [(first: Int, findings: [Scan.Finding])] = []
        var failure: (any Error)?
    }

    private let scan: Scan
    private let pagesPerPortion: Int
    /// The next page to be read; locked while it is read.
    private let next = Locked(1)
    private let state = Locked(State())

    /// Bytes read at once.
    private static var portion: Int { 256 << 10 }
    /// The number of portions for which it is worth to create a thread.
    private static var portionsPerThread: Int { 4 }

    init(_ scan: Scan) {
        self.scan = scan
        pagesPerPortion = max(1, Self.portion / scan.pages.pageSize)
    }

    var threads: Int {
        let portions = scan.pages.count / pagesPerPortion
        return min(ProcessInfo.processInfo.activeProcessorCount, portions / Self.portionsPerThread)
    }

    /// Reads and evaluates portions until there are no more, or one of the threads has failed.
    func evaluate(progress: (Int) throws -> Void) {
        do {
            let memory = scan.makeMemory(pages: pagesPerPortion)
            while let (range, portion) = try read(into: memory) {
                let findings = try scan.findings(in: portion, memory)
                let evaluated = state.withLock { state in
                    state.evaluated += range.count
                    if !findings.isEmpty { state.findings.append((range.lowerBound, findings)) }
                    return state.evaluated
                }
                try progress(evaluated)
            }
        } catch {
            next.withLock { $0 = .max }
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    private func read(into memory: Scan.Memory) throws -> (ClosedRange<Int>, Scan.Portion)? {
        try next.withLock { next in
            guard next <= scan.pages.count else { return nil }
            let range = next...min(next + pagesPerPortion - 1, scan.pages.count)
            let portion = try scan.read(range, into: memory)
            next = range.upperBound + 1
            return (range, portion)
        }
    }

    /// The findings, once every thread has returned.
    func findings() throws -> [Scan.Finding] {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.findings.sorted { $0.first < $1.first }.flatMap(\.findings)
        }
    }
}

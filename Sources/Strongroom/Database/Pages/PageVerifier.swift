import Foundation

/// Verifies the authentication code of every page of a database.
///
/// The engine verifies only pages that it reads, does not report damage in the last overflow page of a value, and in
/// version 3 accepts a page of zeros.
struct PageVerifier {
    let contents: PageContents

    init(_ contents: PageContents) {
        self.contents = contents
    }

    /// Reads the pages through a connection, inside a transaction that excludes other writers.
    init(_ connection: Connection, _ cipher: PageCipher) throws {
        contents = PageContents(
            pages: try DatabasePages(of: connection, pageSize: cipher.layout.pageSize), cipher: cipher)
    }

    /// Reads the pages of a file that no process has open and that has no WAL.
    ///
    /// The number of pages is taken from the first page if that is valid, otherwise from the file size.
    init(closed file: any FileBytes, _ cipher: PageCipher) throws {
        let pageSize = cipher.layout.pageSize
        let size = try file.size()
        // A partial page is a damaged page.
        let pagesOfFile = Int((size + Int64(pageSize) - 1) / Int64(pageSize))
        let all = PageContents(
            pages: DatabasePages(closed: file, pageSize: pageSize, count: pagesOfFile), cipher: cipher)
        guard let header = try all.content(of: 1).flatMap(DatabaseHeader.init), let count = header.pageCount else {
            contents = all
            return
        }
        contents = PageContents(pages: DatabasePages(closed: file, pageSize: pageSize, count: count), cipher: cipher)
    }

    var count: Int { contents.pages.count }

    /// Verifies every page, on all processors.
    func damagedPages(progress: (Int) throws -> Void = { _ in }) throws -> [Int] {
        let findings = try scan(progress: progress)
        guard findings.contains(where: { $0.isZero }) else { return findings.map(\.page) }
        let unused = try FreeList(contents).leaves
        return findings.filter { !$0.isZero || !unused.contains($0.page) }.map(\.page)
    }
}

extension PageVerifier: PageScan {
    struct Finding {
        let page: Int
        /// Whether the page is all zeros, and may never have been written: with a rollback journal and without
        /// `secure_delete`, the engine leaves a hole for a page that was allocated and freed in one transaction
        /// (measured on SQLCipher 3.4 and 4.6).
        let isZero: Bool
    }

    var pages: DatabasePages { contents.pages }

    func makeMemory(pages count: Int) -> PageMemory { PageMemory(for: pages, count: count) }

    func read(_ range: ClosedRange<Int>, into memory: PageMemory) throws -> PagePortion {
        try PagePortion(range, of: pages, into: memory)
    }

    func findings(in portion: PagePortion, _: PageMemory) -> [Finding] {
        portion.range.compactMap { number in
            number == contents.cipher.layout.lockBytePage ? nil : finding(number, portion)
        }
    }

    private func finding(_ number: Int, _ portion: PagePortion) -> Finding? {
        if let found = portion.inLog(number) {
            guard let page = found.bytes, isAuthentic(page, number) else { return Finding(page: number, isZero: false) }
            // The page in the file is older and will be overwritten, or is being overwritten.
            guard found.isInFile else { return nil }
        }
        guard let page = portion.inFile(number) else { return Finding(page: number, isZero: false) }
        return isAuthentic(page, number) ? nil : Finding(page: number, isZero: page.allSatisfy { $0 == 0 })
    }

    private func isAuthentic(_ page: UnsafeRawBufferPointer, _ number: Int) -> Bool {
        contents.cipher.isAuthentic(page, number: number)
    }
}

/// A check of every page of a database, in portions that are evaluated on all processors.
protocol PageScan: SendableMetatype {
    associatedtype Memory
    associatedtype Portion
    associatedtype Finding

    var pages: DatabasePages { get }

    /// Allocates the memory of a thread.
    func makeMemory(pages: Int) -> Memory

    /// Reads pages; called by one thread at a time, because the engine's file handles are not thread-safe.
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

    /// The number of portions for which it is worth to create a thread.
    private static var portionsPerThread: Int { 4 }

    init(_ scan: Scan) {
        self.scan = scan
        pagesPerPortion = max(1, DatabasePages.portion / scan.pages.pageSize)
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

/// A page of a file whose content is damaged.
public struct DamagedPage: Sendable, Hashable {
    /// The object that a page belongs to.
    public enum Owner: Sendable, Hashable {
        /// The schema table, without which no table or index can be found.
        case schema
        /// A table, including its overflow pages.
        case table(String)
        /// An index. It can be rebuilt from its table: drop it and create it again.
        case index(String, table: String)
        /// The freelist, or an unused page; no row is lost.
        case unused
        /// The pointer map, which `auto_vacuum` uses; no row is lost.
        case pointerMap
        /// Unknown: the page that references it is damaged, too, or the schema cannot be read.
        case unknown
    }

    /// The page's number; 1 is the first.
    public let number: Int
    /// The object that it belongs to.
    public let owner: Owner
}

extension [DamagedPage] {
    /// Whether a page of the schema is among them.
    package var hasSchema: Bool { contains { $0.number == 1 || $0.owner == .schema } }
}

extension DamagedPage: CustomStringConvertible {
    /// A description such as `page 12 of table "contact"`.
    public var description: String {
        switch owner {
        case .schema: "page \(number) of the schema"
        case .table(let name): "page \(number) of table \"\(name)\""
        case .index(let name, let table): "page \(number) of index \"\(name)\" of table \"\(table)\""
        case .unused: "page \(number), which is not in use"
        case .pointerMap: "page \(number), which is a pointer map page"
        case .unknown: "page \(number), whose owner is unknown"
        }
    }
}

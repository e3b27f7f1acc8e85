/// The pages of commits that have been found and not read yet.
struct PendingPages {
    enum Source {
        /// Pages and their frames in the WAL, which are counted from 0.
        case frames([(page: Int, frame: Int)])
        case pages(DatabasePages, [UInt32])
    }

    /// The WAL up to the last of the commits.
    let log: PublishedLog
    let databasePages: Int
    let source: Source
    private let audit: PageAudit
    /// How many of them have been read.
    private var done = 0

    init(log: PublishedLog, databasePages: Int, source: Source, _ audit: PageAudit) {
        self.audit = audit
        self.log = log
        self.databasePages = databasePages
        self.source = source
    }

    /// Whether they come from a comparison with the entire file.
    var comesFromComparison: Bool {
        if case .pages = source { return true }
        return false
    }

    private var count: Int {
        switch source {
        case .frames(let frames): frames.count
        case .pages(_, let numbers): numbers.count
        }
    }

    mutating func read(_ limit: Int, _ connection: Connection, _ form: PageForm) throws -> PageBatch {
        let range = done..<min(done + max(1, limit), count)
        var numbers: [UInt32] = []
        numbers.reserveCapacity(range.count)
        let content = try [UInt8](capacity: range.count * form.size) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            for index in range {
                let start = filled
                let page = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + form.size])
                let number = try read(index, into: page, connection, form)
                try audit.require(UnsafeRawBufferPointer(page), Int(number))
                numbers.append(number)
                filled += form.size
            }
        }
        done = range.upperBound
        return PageBatch(
            form: form, databasePages: databasePages, numbers: numbers, content: content, isLast: done == count)
    }

    private func read(
        _ index: Int, into page: UnsafeMutableRawBufferPointer, _ connection: Connection, _ form: PageForm
    ) throws -> UInt32 {
        switch source {
        case .frames(let frames):
            let offset = LogHeader.offset(ofFrame: frames[index].frame, pageSize: form.size)
            guard try connection.logFile().read(at: offset, into: page) == form.size else {
                throw StrongroomError.shortened(connection.database)
            }
            return UInt32(frames[index].page)
        case .pages(let pages, let numbers):
            // A part that the file does not have is zeros.
            page.initializeMemory(as: UInt8.self, repeating: 0)
            _ = try pages.read(Int(numbers[index]), into: page)
            return numbers[index]
        }
    }
}

extension StrongroomError {
    static func shortened(_ database: String) -> StrongroomError {
        StrongroomError(
            .busy,
            """
            The WAL was restarted or shortened while it was read. The replica is compared with the file, and continues.
            """,
            database: database)
    }
}

/// Pages of a database as they are stored, encrypted.
package struct PageBatch: Sendable {
    package let form: PageForm
    /// The number of pages that the database has after the commit.
    package let databasePages: Int
    /// The numbers of the pages, in ascending order, counted from 1.
    package let numbers: [UInt32]
    /// Their content, one after the other.
    package let content: [UInt8]
    /// Whether no further batch belongs to the same commit.
    package let isLast: Bool

    package init(form: PageForm, databasePages: Int, numbers: [UInt32], content: [UInt8], isLast: Bool) {
        self.form = form
        self.databasePages = databasePages
        self.numbers = numbers
        self.content = content
        self.isLast = isLast
    }

    /// The version of a page of the batch, by its index.
    package func version(at index: Int) -> PageVersion {
        content.withUnsafeBytes { PageVersion($0, at: index * form.size + form.vectorOffset) }
    }
}

package struct PageForm: Sendable, Hashable {
    package let size: Int
    /// Where a page has its initialisation vector.
    package let vectorOffset: Int

    package init(size: Int, vectorOffset: Int) {
        self.size = size
        self.vectorOffset = vectorOffset
    }

    init(_ layout: PageLayout) { self.init(size: layout.pageSize, vectorOffset: layout.usable) }
}

/// What distinguishes the versions of a page: its initialisation vector, which is random and a new one each time the
/// page is written. A checkpoint copies a page without changing it.
package struct PageVersion: Sendable, Hashable, BitwiseCopyable {
    package static let length = 16

    private let bits: SIMD2<UInt64>

    /// The version of a page that was never written.
    package static let none = PageVersion(bits: .zero)

    private init(bits: SIMD2<UInt64>) { self.bits = bits }

    package init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        bits = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
    }

    package var bytes: [UInt8] { withUnsafeBytes(of: bits) { [UInt8]($0) } }
}

/// The versions of the pages of a database, by page number; those that were never written have none.
package struct PageVersions: Sendable {
    private var versions: [UInt32: PageVersion] = [:]

    package private(set) var count = 0

    package init() {}

    /// The version of a page, counted from 1.
    package subscript(_ number: Int) -> PageVersion {
        get { versions[UInt32(number)] ?? .none }
        set { versions[UInt32(number)] = newValue }
    }

    package mutating func resize(to count: Int) {
        if count < self.count { versions = versions.filter { $0.key <= count } }
        self.count = count
    }
}

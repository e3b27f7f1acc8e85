/// Pages of a database as they are stored, encrypted.
package struct PageBatch: Sendable {
    /// The form of the pages.
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

/// The form of encrypted pages.
package struct PageForm: Sendable, Hashable {
    /// The page size, in bytes.
    package let size: Int
    /// Where a page has its initialisation vector.
    package let vectorOffset: Int

    /// - Parameters:
    ///   - size: The page size, in bytes.
    ///   - vectorOffset: Where a page has its initialisation vector.
    package init(size: Int, vectorOffset: Int) {
        self.size = size
        self.vectorOffset = vectorOffset
    }

    init(_ layout: PageLayout) { self.init(size: layout.pageSize, vectorOffset: layout.usable) }
}

/// What distinguishes the versions of a page: its initialisation vector, which is random and a new one each time the
/// page is written. A checkpoint copies a page without changing it.
package struct PageVersion: Sendable, Hashable, BitwiseCopyable {
    /// Its length in bytes.
    package static let length = 16

    private let bits: SIMD2<UInt64>

    /// The version of a page that was never written.
    package static let none = PageVersion(bits: .zero)

    private init(bits: SIMD2<UInt64>) { self.bits = bits }

    /// - Parameters:
    ///   - bytes: Bytes with the initialisation vector.
    ///   - offset: Where it begins.
    package init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        bits = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
    }

    /// Its bytes.
    package var bytes: [UInt8] { withUnsafeBytes(of: bits) { [UInt8]($0) } }
}

/// The versions of the pages of a database, by page number; those that were never written have none.
package struct PageVersions: Sendable {
    private var versions: [UInt32: PageVersion] = [:]

    /// The number of pages.
    package private(set) var count = 0

    package init() {}

    /// The version of a page, counted from 1.
    package subscript(_ number: Int) -> PageVersion {
        get { versions[UInt32(number)] ?? .none }
        set { versions[UInt32(number)] = newValue }
    }

    /// Sets the number of pages.
    package mutating func resize(to count: Int) {
        if count < self.count { versions = versions.filter { $0.key <= count } }
        self.count = count
    }
}

/// Copies all pages of a database into an empty file that has the same cipher settings, and compares each page of the
/// copy with the source.
///
/// The engine copies, and code that shares nothing with it compares: a page that the engine read or wrote wrongly is
/// found even if its authentication code is valid.
struct ComparedPages {
    let source: Connection
    /// The key of the source; nil for plaintext.
    let from: DerivedKey?
    let target: DatabaseFile
    /// The key of the copy; nil for plaintext.
    let to: DerivedKey?

    private static let pagesAtOnce = 1_024

    /// Copies and compares one snapshot; other connections may read and write meanwhile.
    ///
    /// - Parameters:
    ///   - copy: The empty file. Nothing is written before it is proved that the engine has opened this file.
    ///   - progress: Called repeatedly with `writing` and then `verifying`, and the number of pages that are done, of
    ///     how many; an error that it throws ends the copy.
    ///   - whenWritten: Called when all pages are written, before they are compared, to change settings in the header
    ///     of the copy.
    /// - Returns: What the comparison has found. If the engine could not read the source because it is damaged, only
    ///   the damaged pages of the source.
    func make(
        _ copy: PlainFile, progress: (WorkProgress.Phase, Int, Int) throws -> Void,
        whenWritten: () throws -> Void = {}
    ) throws -> PageComparison.Outcome {
        try source.inSnapshotOfPages { log in
            let pageSize = try from?.settings.pageSize ?? Int(source.ownNumber("PRAGMA page_size"))
            let pages = try DatabasePages(of: source, pageSize: pageSize, in: log)
            do {
                try write(copy) { try progress(.writing, $0, $1) }
            } catch let error as StrongroomError
                where error.code != .diskFull && error.code != .interrupted && source.hasMetDamage
            {
                let damaged = try damagedPages(of: pages) { try progress(.verifying, $0, pages.count) }
                guard !damaged.isEmpty else { throw error }
                return PageComparison.Outcome(damagedInSource: damaged)
            }
            try whenWritten()
            try progress(.verifying, 0, pages.count)
            return try PageComparison(of: pages, key: from, with: copy, key: to).run {
                try progress(.verifying, $0, pages.count)
            }
        }
    }

    private func write(_ copy: PlainFile, progress: (Int, Int) throws -> Void) throws {
        let connection = try target.connect(.existing, key: to)
        defer { connection.close() }
        try copy.requireOpened(by: connection)
        try connection.run("PRAGMA journal_mode = OFF")
        try connection.run("PRAGMA synchronous = OFF")
        try connection.copyPages(from: source, pagesAtOnce: Self.pagesAtOnce, progress: progress)
    }

    private func damagedPages(of pages: DatabasePages, progress: (Int) throws -> Void) throws -> [Int] {
        guard let from else { return [] }
        let cipher = try PageCipher(from, settings: from.settings)
        return try PageVerifier(PageContents(pages: pages, cipher: cipher)).damagedPages(progress: progress)
    }
}

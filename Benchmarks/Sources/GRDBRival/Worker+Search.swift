import GRDB
import TestData

extension Worker {
    /// Creates a full-text index as GRDB's guide does, and closes the file.
    func indexDocuments(_ path: String) throws -> WorkReport {
        let pool = try EncryptedPool.open(path)
        let duration = try ContinuousClock().measure {
            try pool.write { db in
                try db.create(virtualTable: "document_fts", using: FTS5()) { table in
                    table.synchronize(withTable: "document")
                    table.tokenizer = .ascii()
                    table.column("title")
                    table.column("body")
                }
            }
            try pool.close()
        }
        return WorkReport(duration: duration, summary: Summary())
    }
}

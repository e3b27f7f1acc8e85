import Strongroom

/// The names of the indexes of the documents, and the rival's one.
enum DocumentIndex {
    static let ours = "strongroom_search_document.text"
    static let rival = "document_fts"

    static let hasFTS5 = (try? EngineFeatures.current().hasFTS5) ?? false

    /// An index as SQLite's documentation creates it, and the trigger for insertions.
    static let creation =
        table
            + """
            ; CREATE TRIGGER "document_inserted" AFTER INSERT ON "document" BEGIN \
            INSERT INTO "document_fts" (rowid, "title", "body") VALUES (new."id", new."title", new."body"); END
            """

    /// The index, with the documents that are there.
    static let filling =
        #"BEGIN IMMEDIATE; \#(table); INSERT INTO "document_fts" ("document_fts") VALUES ('rebuild'); COMMIT"#

    private static let table =
        hasFTS5
        ? """
        CREATE VIRTUAL TABLE "document_fts" USING \
        fts5("title", "body", content='document', content_rowid='id', tokenize='ascii')
        """
        : #"CREATE VIRTUAL TABLE "document_fts" USING fts4("title", "body", content="document", tokenize=simple)"#
}

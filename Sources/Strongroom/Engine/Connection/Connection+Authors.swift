import CSQLCipher

/// Who makes the changes of a transaction, for the triggers that keep a history.
struct Authorship {
    /// The name that the program has set; nil for none.
    var author: String?
    /// Whether ``AuthorTable`` has the row of this transaction.
    var isRecorded = false
    /// Whether the author was set after that.
    var isChanged = false
}

/// The table from which triggers read the number and the author of the running transaction. It has a row only inside
/// of a transaction of this library that changes a table with a history: the row is deleted before the commit, so that
/// the triggers find none in a transaction of another program.
enum AuthorTable {
    static let name = "strongroom_author"
    /// AUTOINCREMENT, so that the number of a deleted row is not used again.
    static let creation = "CREATE TABLE IF NOT EXISTS \(name) (id INTEGER PRIMARY KEY AUTOINCREMENT, author TEXT)"
    static let removal = "DELETE FROM \(name)"
}

extension Connection {
    func setAuthor(_ author: String?) {
        transaction.authorship.author = author
        transaction.authorship.isChanged = true
    }

    /// Gives the transaction its number, before its first change of a table with a history. Each write of a shared
    /// transaction gets its own.
    func recordAuthor() throws {
        guard transaction.state == .open else { return }
        let author = transaction.authorship.author.map(SQLValue.text) ?? .null
        guard !transaction.authorship.isRecorded else {
            guard transaction.authorship.isChanged else { return }
            try run("UPDATE \(AuthorTable.name) SET author = ?", author)
            transaction.authorship.isChanged = false
            return
        }
        (transaction.authorship.isRecorded, transaction.authorship.isChanged) = (true, false)
        transaction.hasAuthorRow = true
        do {
            try run(AuthorTable.removal)
            try run("INSERT INTO \(AuthorTable.name) (author) VALUES (?)", author)
        } catch {
            transaction.authorship.isRecorded = false
            throw error
        }
    }

    /// The number of the running transaction in histories.
    ///
    /// - Returns: Nil if it has not changed a table with a history yet.
    func transactionNumber() throws -> Int64? {
        guard transaction.authorship.isRecorded else { return nil }
        guard case .integer(let number)? = try ownValue("SELECT max(id) FROM \(AuthorTable.name)") else { return nil }
        return number
    }

    /// Deletes the row of the author before a commit.
    func forgetAuthor() throws {
        guard transaction.hasAuthorRow else { return }
        try run(AuthorTable.removal)
        transaction.hasAuthorRow = false
    }

    /// Lets delete triggers fire for replaced rows from now on: the previous values of a row that `INSERT OR REPLACE`
    /// deletes would be lost otherwise.
    func allowHistoryOfReplacedRows() throws {
        // Not by a cached statement: called while one is being prepared.
        let result = trusting { sqlite3_exec(pointer, "PRAGMA recursive_triggers = ON", nil, nil, nil) }
        _ = authorizer.removeTables()
        guard result == SQLITE_OK else { throw failure("The triggers could not be set up") }
        file.hasHistory = true
    }
}

/// A table or an index as the schema has it, with its first page.
struct SchemaRoot {
    let kind: String
    let name: String
    let table: String
    let page: Int
    /// Nil for an index that a constraint has made.
    let sql: String?
}

extension Connection {
    /// Everything in the schema, in the order in which it was made.
    func schemaRoots() throws -> [SchemaRoot] {
        var roots: [SchemaRoot] = []
        let query = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master ORDER BY rowid"
        try withOwnStatement(query) { statement in
            let row = Row(statement)
            while try statement.step() {
                roots.append(
                    SchemaRoot(
                        kind: try row.text(at: 0), name: try row.text(at: 1), table: try row.text(at: 2),
                        page: try row.isNull(at: 3) ? 0 : Int(row.integer(at: 3)),
                        sql: try row.isNull(at: 4) ? nil : row.text(at: 4)))
            }
        }
        return roots
    }
}

/// Finds out what damaged pages belong to.
struct PageOwners {
    let contents: PageContents
    let roots: [SchemaRoot]

    /// Names the owners of pages; reads the whole database.
    ///
    /// - Parameter progress: Called now and then; what it throws ends the search.
    func name(_ damaged: [Int], progress: () throws -> Void = {}) throws -> [DamagedPage] {
        guard !damaged.isEmpty else { return [] }
        let wanted = Set(damaged)
        var owners: [Int: DamagedPage.Owner] = [:]
        let walk = TreeWalk(contents: contents)
        for (root, owner) in trees where owners.count < wanted.count {
            try walk.walk(root) { event in
                guard case .page(let number) = event else { return }
                try progress()
                if wanted.contains(number), owners[number] == nil { owners[number] = owner }
            }
        }
        let free = try FreeList(contents)
        for number in wanted where owners[number] == nil {
            if free.leaves.contains(number) || free.trunks.contains(number) { owners[number] = .unused }
            if try isPointerMap(number) { owners[number] = .pointerMap }
        }
        return damaged.map { DamagedPage(number: $0, owner: owners[$0] ?? .unknown) }
    }

    private var trees: [(Int, DamagedPage.Owner)] {
        [(1, .schema)]
            + roots.compactMap { root in
                guard root.page > 0 else { return nil }
                return (root.page, root.kind == "index" ? .index(root.name, table: root.table) : .table(root.name))
            }
    }

    /// Whether a page is one of those that tell where each page belongs («Database File Format», section 1.8).
    private func isPointerMap(_ number: Int) throws -> Bool {
        guard
            number > 1, let header = try contents.content(of: 1).flatMap(DatabaseHeader.init), header.hasPointerMap
        else { return false }
        let layout = contents.cipher.layout
        let distance = layout.usable / 5 + 1
        let place = (number - 2) / distance * distance + 2
        return number == (place == layout.lockBytePage ? place + 1 : place)
    }
}

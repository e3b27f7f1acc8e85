/// A table or an index of the schema, with its root page.
struct SchemaRoot {
    let kind: String
    let name: String
    let table: String
    let page: Int
    /// Nil for an index that a constraint has created.
    let sql: String?
}

extension Connection {
    /// All tables and indexes of the schema, in the order of creation.
    func schemaRoots() throws -> [SchemaRoot] {
        var roots: [SchemaRoot] = []
        let query = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master ORDER BY rowid"
        try withOwnStatement(query) { statement in
            let row = Row(statement)
            while try statement.step() {
                roots.append(
                    SchemaRoot(
                        kind: try row.text(at: 0), name: try row.text(at: 1), table: try row.text(at: 2),
                        page: Int(try row.integerIfPresent(at: 3) ?? 0),
                        sql: try row.textIfPresent(at: 4)))
            }
        }
        return roots
    }
}

extension SchemaRoot {
    /// The schema table.
    static let schema = SchemaRoot(kind: "table", name: "sqlite_master", table: "sqlite_master", page: 1, sql: nil)

    /// The owner that is reported for a damaged page.
    var owner: DamagedPage.Owner {
        if page == 1 { return .schema }
        return kind == "index" ? .index(name, table: table) : .table(name)
    }
}

/// Determines the owners of damaged pages.
struct PageOwners {
    let contents: PageContents
    let roots: [SchemaRoot]

    /// Determines the owners of pages; reads the whole database.
    ///
    /// - Parameters:
    ///   - known: The owners that are already known.
    ///   - progress: Called repeatedly; an error that it throws ends the search.
    func name(
        _ damaged: [Int], known: [Int: DamagedPage.Owner] = [:], progress: () throws -> Void = {}
    ) throws -> [DamagedPage] {
        guard !damaged.isEmpty else { return [] }
        let wanted = PageSet(pages: contents.pages.count, damaged)
        var owners = known
        let walk = TreeWalk(contents: contents)
        for root in [.schema] + roots where root.page > 0 && owners.count < damaged.count {
            try walk.walk(root.page) { event in
                guard case .page(let number) = event else { return }
                try progress()
                if wanted.contains(number), owners[number] == nil { owners[number] = root.owner }
            }
        }
        try nameUnused(damaged, &owners)
        return damaged.map { DamagedPage(number: $0, owner: owners[$0] ?? .unknown) }
    }

    /// Determines the owners of pages that belong to no tree: unused pages and pointer map pages.
    func nameUnused(_ damaged: [Int], _ owners: inout [Int: DamagedPage.Owner]) throws {
        let free = try FreeList(contents)
        let header = try contents.content(of: 1).flatMap(DatabaseHeader.init)
        for number in damaged where owners[number] == nil {
            if free.leaves.contains(number) || free.trunks.contains(number) { owners[number] = .unused }
            if header?.hasPointerMap == true, contents.cipher.layout.isPointerMap(number) {
                owners[number] = .pointerMap
            }
        }
    }
}

extension PageLayout {
    /// Whether a page is a pointer map page, in a database that has them ("Database File Format", section 1.8).
    func isPointerMap(_ number: Int) -> Bool {
        guard number > 1 else { return false }
        let distance = usable / 5 + 1
        let first = (number - 2) / distance * distance + 2
        return number == (first == lockBytePage ? first + 1 : first)
    }
}

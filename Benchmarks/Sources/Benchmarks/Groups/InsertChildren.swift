import Foundation
import Strongroom

extension Group {
    /// Lists into tables with a foreign key and UUID keys, whose rows fall on pages all over the file.
    static let insertChildren = Group(
        "insert-children", "100,000 rows with UUID keys that refer to 20,000 parents, in one call, against one by one"
    ) { workplace in
        let family = Family(parents: 20_000, children: 100_000)
        func run(
            on present: Bool = false, _ body: @escaping (Store) async throws -> Void
        ) -> Measure.Run {
            {
                let file = try await workplace.makeFile(of: Entry.self, [])
                let store = try await file.open()
                try await store.write { db in
                    try db.createTable(Parent.schema)
                    try db.createTable(Child.schema)
                    guard present else { return }
                    _ = try Parent.insert(contentsOf: family.parents, in: db)
                    _ = try Child.insert(contentsOf: family.children, in: db)
                }
                let duration = try await ContinuousClock().measure { try await body(store) }
                try await store.close()
                return duration
            }
        }
        return [
            Measure(
                name: "insert-children",
                unit: .rate(family.children.count + family.parents.count, "rows"),
                ours: run { store in
                    try await store.write { db in
                        _ = try Parent.insert(contentsOf: family.parents, in: db)
                        _ = try Child.insert(contentsOf: family.children, in: db)
                    }
                },
                rival: Measure.Side(
                    name: "one by one", target: 0.9,
                    run: run { store in
                        try await store.write { db in
                            for parent in family.parents { try Parent.insert(parent, in: db) }
                            for child in family.children { try Child.insert(child, in: db) }
                        }
                    })
            ),
            Measure(
                name: "update-children",
                unit: .rate(family.children.count, "rows"),
                ours: run(on: true) { store in
                    try await store.write { db in try Child.update(contentsOf: family.renamed, in: db) }
                },
                rival: Measure.Side(
                    name: "one by one", target: 0.9,
                    run: run(on: true) { store in
                        try await store.write { db in
                            for child in family.renamed { try Child.update(child, in: db) }
                        }
                    })
            ),
        ]
    }

    @Table("parent")
    struct Parent {
        @Column(primaryKey: true) var id: UUID
        var name: String
    }

    @Table("child")
    struct Child {
        @Column(primaryKey: true) var id: UUID
        @Column(indexed: true, references: Reference("parent")) var parent: UUID
        var name: String
    }

    private struct Family: Sendable {
        let parents: [Parent]
        let children: [Child]
        /// The children with other names, every tenth with another parent.
        let renamed: [Child]

        init(parents count: Int, children: Int) {
            let parents = (0..<count).map { Parent(id: UUID(), name: "parent \($0)") }
            self.parents = parents
            let children = (0..<children).map {
                Child(id: UUID(), parent: parents[$0 % count].id, name: "child \($0)")
            }
            self.children = children
            renamed = children.indices.map { index in
                var child = children[index]
                child.name = "renamed \(index)"
                if index.isMultiple(of: 10) { child.parent = parents[(index + 1) % count].id }
                return child
            }
        }
    }
}

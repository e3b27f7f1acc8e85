import Strongroom

/// One thing of a schema, such as a column or an index, and what there is to say of it.
struct SchemaItem: Sendable {
    /// How messages call it, such as `column "contact.name"`.
    let title: String
    /// Tells it from the others; the title in small letters where nothing else is given.
    let identity: String
    /// The title of what it belongs to: it says nothing new that it is missing when that is, too.
    var owner: String?
    /// What there is to say of it, in the order in which messages tell it.
    var properties: [Property] = []

    init(title: String, identity: String? = nil, owner: String? = nil) {
        self.title = title
        self.identity = identity ?? title.asciiFolded
        self.owner = owner
    }

    /// One of the things that there are to say.
    struct Property: Sendable {
        let name: String
        /// What is compared; nil for none.
        let meaning: String?
        /// What messages show.
        let text: String
    }

    mutating func add(_ name: String, _ meaning: String?, shown text: String? = nil) {
        properties.append(Property(name: name, meaning: meaning, text: meaning == nil ? "none" : text ?? meaning ?? ""))
    }

    mutating func add(_ name: String, _ answer: Bool) {
        add(name, answer ? "yes" : "no")
    }
}

/// What a schema means: tables, columns, keys, constraints, indexes, triggers and views, whatever the words that made
/// them. In which order a table's columns stand does not count.
struct SchemaDescription: Sendable {
    /// By their identities.
    private(set) var items: [String: SchemaItem] = [:]

    mutating func add(_ item: SchemaItem) {
        items[item.identity] = item
    }

    /// What is different in another schema.
    ///
    /// - Parameters:
    ///   - other: The other schema.
    ///   - here: How messages call this one, such as `a fresh file`.
    ///   - there: How they call the other one.
    /// - Returns: A line for each difference, in the order of the titles.
    func differences(from other: SchemaDescription, here: String, there: String) -> [String] {
        var lines: [String] = []
        for key in Set(items.keys).union(other.items.keys).sorted() {
            switch (items[key], other.items[key]) {
            case (let item?, nil):
                guard !isOwnerMissing(item, from: other) else { continue }
                lines.append("\(item.title) is in \(here) and missing from \(there)")
            case (nil, let item?):
                guard !other.isOwnerMissing(item, from: self) else { continue }
                lines.append("\(item.title) is in \(there) and missing from \(here)")
            case (let item?, let otherItem?):
                lines += Self.differences(item, otherItem, here, there)
            case (nil, nil): break
            }
        }
        return lines
    }

    /// Whether what an item of this schema belongs to is here and not in another schema, which is told already.
    private func isOwnerMissing(_ item: SchemaItem, from other: SchemaDescription) -> Bool {
        guard let owner = item.owner?.asciiFolded else { return false }
        return items[owner] != nil && other.items[owner] == nil
    }

    private static func differences(
        _ item: SchemaItem, _ other: SchemaItem, _ here: String, _ there: String
    ) -> [String] {
        zip(item.properties, other.properties).compactMap { property, otherProperty in
            guard property.meaning != otherProperty.meaning else { return nil }
            return "\(item.title): \(property.name) is \(property.text) in \(here), \(otherProperty.text) in \(there)"
        }
    }
}

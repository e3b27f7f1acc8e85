import Strongroom

/// An element of a schema, such as a column or an index, and its properties.
struct SchemaItem: Sendable {
    /// The title for messages, such as `column "contact.name"`.
    let title: String
    /// The identity of the element; by default its title in lower case.
    let identity: String
    /// The title of its owner: if the owner is missing, the element is not reported as missing.
    var owner: String?
    /// The properties, in the order of messages.
    var properties: [Property] = []

    init(title: String, identity: String? = nil, owner: String? = nil) {
        self.title = title
        self.identity = identity ?? title.asciiFolded
        self.owner = owner
    }

    /// A property.
    struct Property: Sendable {
        let name: String
        /// The value for comparisons; nil for none.
        let meaning: String?
        /// The text for messages.
        let text: String
    }

    mutating func add(_ name: String, _ meaning: String?, shown text: String? = nil) {
        properties.append(Property(name: name, meaning: meaning, text: meaning == nil ? "none" : text ?? meaning ?? ""))
    }

    mutating func add(_ name: String, _ answer: Bool) {
        add(name, answer ? "yes" : "no")
    }
}

/// The meaning of a schema: tables, columns, keys, constraints, indexes, triggers and views, independent of the
/// statements that created them. The order of a table's columns is ignored.
package struct SchemaDescription: Sendable {
    /// The elements by identity.
    private(set) var items: [String: SchemaItem] = [:]

    mutating func add(_ item: SchemaItem) {
        items[item.identity] = item
    }

    /// The differences to another schema.
    ///
    /// - Parameters:
    ///   - other: The other schema.
    ///   - here: The name of this schema for messages, such as `a fresh file`.
    ///   - there: The name of the other schema.
    /// - Returns: A line for each difference, sorted by title.
    package func differences(from other: SchemaDescription, here: String, there: String) -> [String] {
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

    /// Whether the owner of an element of this schema is missing from another schema, which is already reported.
    private func isOwnerMissing(_ item: SchemaItem, from other: SchemaDescription) -> Bool {
        guard let owner = item.owner?.asciiFolded else { return false }
        return items[owner] != nil && other.items[owner] == nil
    }

    /// The titles of the elements that another schema does not have; not those of which it has not even the owner.
    func additions(to other: SchemaDescription) -> [String] {
        items.keys.sorted().compactMap { key in
            guard let item = items[key], other.items[key] == nil, !isOwnerMissing(item, from: other) else { return nil }
            return item.title
        }
    }

    /// The schema without the elements that another one does not have.
    func restricted(to other: SchemaDescription) -> SchemaDescription {
        var part = self
        part.items = items.filter { other.items[$0.key] != nil }
        return part
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

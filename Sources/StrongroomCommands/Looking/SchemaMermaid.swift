/// A schema as a diagram that Mermaid draws (mermaid.js.org, "Entity Relationship Diagrams").
package enum SchemaMermaid {
    package static func text(_ schema: SchemaModel) -> String {
        var lines = ["erDiagram"]
        for table in schema.tables {
            lines.append("    \(entity(table.name)) {")
            lines += table.columns.map { "        " + attribute($0) }
            lines.append("    }")
        }
        for reference in schema.references {
            let parent = reference.isOptional ? "|o" : "||"
            let child = reference.isUnique ? "o|" : "o{"
            let label = quoted(reference.columns.joined(separator: ", "))
            lines.append("    \(entity(reference.parent)) \(parent)--\(child) \(entity(reference.table)) : \(label)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func attribute(_ column: SchemaModel.Column) -> String {
        let keys = [(column.isKey, "PK"), (column.isReference, "FK"), (column.isUnique && !column.isKey, "UK")]
        let marks = keys.filter(\.0).map(\.1).joined(separator: ", ")
        let type = word(column.type.isEmpty ? "any" : column.type)
        var parts = [type, word(column.name), marks]
        // Mermaid allows letters, digits and a few symbols in such a name; the full name is put into the comment.
        var remarks: [String] = word(column.name) == column.name ? [] : [column.name]
        if !column.isNullable, !column.isKey { remarks.append("not null") }
        if !remarks.isEmpty { parts.append(quoted(remarks.joined(separator: ", "))) }
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func entity(_ name: String) -> String {
        word(name) == name ? name : quoted(name)
    }

    private static func word(_ text: String) -> String {
        let plain = text.unicodeScalars.map { scalar in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isPlain ? String(scalar) : "_"
        }.joined()
        let isWord = plain.unicodeScalars.first.map { $0.properties.isAlphabetic || $0 == "_" } ?? false
        return isWord ? plain : "_" + plain
    }

    /// In quotation marks, which cannot be escaped in Mermaid.
    private static func quoted(_ text: String) -> String {
        let plain = TerminalText.escaped(text).unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "'"
            case "\\", "%": "_"
            default: String(scalar)
            }
        }
        return "\"\(plain.joined())\""
    }
}

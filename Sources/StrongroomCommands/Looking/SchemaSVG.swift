/// A schema as an SVG diagram: a box for each table, a line for each foreign key. The colours follow the reader's light
/// or dark mode.
package enum SchemaSVG {
    package static func text(_ schema: SchemaModel) -> String {
        let layout = SchemaLayout(schema)
        let size = "\(layout.width) \(layout.height)"
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(layout.width)" height="\(layout.height)" viewBox="0 0 \
            \(size)" role="img" aria-label="\(escaped(title(schema)))">
            """,
            style,
            "<rect class=\"page\" width=\"\(layout.width)\" height=\"\(layout.height)\"/>",
        ]
        let boxes = Dictionary(layout.boxes.map { ($0.table.name, $0) }) { first, _ in first }
        for reference in schema.references {
            guard let child = boxes[reference.table], let parent = boxes[reference.parent] else { continue }
            lines.append(line(reference, from: child, to: parent))
        }
        lines += layout.boxes.map(box)
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// The text for a column's name.
    static func name(_ column: SchemaModel.Column) -> String {
        TerminalText.escaped(column.name) + (column.isNullable || column.isKey ? "" : " *")
    }

    /// The text for a column's type.
    static func type(_ column: SchemaModel.Column) -> String {
        let marks = [(column.isKey, "key"), (column.isUnique && !column.isKey, "unique")].filter(\.0).map(\.1)
        return TerminalText.escaped(([column.type.lowercased()] + marks).filter { !$0.isEmpty }.joined(separator: " "))
    }

    private static func title(_ schema: SchemaModel) -> String {
        "\(HumanReadable.count(schema.tables.count, "table")) and "
            + HumanReadable.count(schema.references.count, "foreign key")
    }

    private static let style = """
        <style>
        .page { fill: #ffffff } .box { fill: #f6f8fa; stroke: #8c959f } .title { fill: #0550ae; font-weight: bold }
        .name { fill: #1f2328 } .key { font-weight: bold } .type { fill: #59636e } .rule { stroke: #d1d9e0 }
        .link { fill: none; stroke: #8250df; stroke-width: 1.5 } .dot { fill: #8250df }
        text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre }
        @media (prefers-color-scheme: dark) {
        .page { fill: #0d1117 } .box { fill: #161b22; stroke: #656c76 } .title { fill: #79c0ff }
        .name { fill: #f0f6fc } .type { fill: #9198a1 } .rule { stroke: #3d444d }
        .link { stroke: #c297ff } .dot { fill: #c297ff }
        }
        </style>
        """

    private static func box(_ box: SchemaLayout.Box) -> String {
        typealias Measure = SchemaLayout.Measure
        let (left, right) = (box.x + 12, box.x + box.width - 12)
        var lines = [
            """
            <rect class="box" x="\(box.x)" y="\(box.y)" width="\(box.width)" height="\(box.height)" rx="6"/>
            """,
            text("title", box.table.name, left, box.y + 18),
            """
            <line class="rule" x1="\(box.x)" y1="\(box.y + Measure.title)" x2="\(box.x + box.width)" \
            y2="\(box.y + Measure.title)"/>
            """,
        ]
        for column in box.table.columns {
            let base = box.middle(of: column.name) + 4
            lines.append(text(column.isKey ? "name key" : "name", name(column), left, base))
            let type = type(column)
            if !type.isEmpty { lines.append(text("type", type, right, base, isAtEnd: true)) }
        }
        return lines.joined(separator: "\n")
    }

    private static func text(_ kind: String, _ text: String, _ x: Int, _ y: Int, isAtEnd: Bool = false) -> String {
        let anchor = isAtEnd ? " text-anchor=\"end\"" : ""
        return "<text class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\"\(anchor)>\(escaped(text))</text>"
    }

    /// A curve from the referencing column to the referenced one, with a dot at its beginning.
    private static func line(
        _ reference: SchemaModel.Reference, from child: SchemaLayout.Box, to parent: SchemaLayout.Box
    ) -> String {
        let start = (y: child.middle(of: reference.columns.first), isLeft: parent.x < child.x)
        let parentColumn =
            reference.parentColumns.first ?? parent.table.columns.first { $0.isKey }?.name
        let end = parent.middle(of: parentColumn)
        let x1 = start.isLeft ? child.x : child.x + child.width
        let x2 = parent.x + parent.width
        let bend = start.isLeft ? max(24, (x1 - x2) / 2) : 36
        let first = start.isLeft ? x1 - bend : max(x1, x2) + bend
        let second = start.isLeft ? x2 + bend : max(x1, x2) + bend
        let label = "\(reference.table).\(reference.columns.joined(separator: ", ")) → \(reference.parent)"
        return """
            <path class="link" d="M\(x1) \(start.y) C\(first) \(start.y) \(second) \(end) \(x2) \(end)">\
            <title>\(escaped(label))</title></path>
            <circle class="dot" cx="\(x1)" cy="\(start.y)" r="3"/>
            """
    }

    /// The text escaped for XML, which does not allow control characters.
    private static func escaped(_ text: String) -> String {
        TerminalText.escaped(text).unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
            default: String(scalar)
            }
        }.joined()
    }
}

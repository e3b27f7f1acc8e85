import Strongroom
import StrongroomCommands

/// Tells the demo's steps as they happen, to a person.
struct DemoStory: Sendable {
    let console: Console
    /// Says nothing, for `--json`.
    let isQuiet: Bool

    func title(_ text: String) {
        guard !isQuiet else { return }
        console.write("\(text, .bold)")
        console.write("")
    }

    func fact(_ label: String, _ text: String) {
        guard !isQuiet else { return }
        console.write(lead: "  \(label.padded(to: 9), .dim) ", paragraph: text)
    }

    func step(_ name: String, _ text: String, _ duration: Duration) {
        guard !isQuiet else { return }
        let time = HumanReadable.duration(duration).padded(to: 8, leading: true)
        console.write(lead: "\("✓", .green) \(name.padded(to: 9), .bold) \(time, .cyan)  ", paragraph: text)
    }

    func heading(_ text: String) {
        guard !isQuiet else { return }
        console.write("")
        console.write("\(text, .bold)")
    }

    func blank() {
        guard !isQuiet else { return }
        console.write("")
    }

    /// - Parameter query: What is highlighted.
    func table(_ packages: [DemoReport.Package], highlighting query: SearchQuery = "") {
        guard !isQuiet else { return }
        var table = TextTable([
            .leading("Package"), .leading("Version"), .trailing("Installed"), .leading("Summary", isFlexible: true),
        ])
        for package in packages {
            table.append(
                Self.highlighted(package.name, query),
                "\(package.version)",
                "\(package.installedKiB.map { HumanReadable.bytes(Int128($0) * 1_024) } ?? "")",
                Self.highlighted(package.summary ?? "", query)
            )
        }
        console.write(table)
    }

    private static func highlighted(_ text: String, _ query: SearchQuery) -> StyledText {
        var styled = StyledText("")
        var end = text.startIndex
        for range in query.highlights(in: text) {
            styled.append(StyledText(String(text[end..<range.lowerBound])))
            styled.append(StyledText(String(text[range]), .bold))
            end = range.upperBound
        }
        styled.append(StyledText(String(text[end...])))
        return styled
    }

    func progress(_ label: String, total: Int) -> ProgressBar? {
        isQuiet ? nil : ProgressBar(label, total: total, on: console, ending: .nothing)
    }
}

extension String {
    fileprivate func padded(to width: Int, leading: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - count))
        return leading ? padding + self : self + padding
    }
}

extension PackageParagraph {
    /// Reads the supported fields of a paragraph.
    init(_ paragraph: ControlParagraph) throws(ControlFileError) {
        guard let name = try paragraph.word(.package, allowing: \.isPackageNameByte) else {
            throw paragraph.missing("Package")
        }
        let version = try paragraph.word(.version, allowing: \.isVersionByte)
        let architecture = try paragraph.word(.architecture, allowing: \.isArchitectureByte)
        let status = paragraph.text(.status)
        if version == nil || architecture == nil {
            // dpkg's own rule: it omits these fields for packages in these states.
            let state = status?.split(separator: " ").last
            let isUnpacked = !(state == "not-installed" || state == "half-installed")
            if version == nil, isUnpacked { throw paragraph.missing("Version") }
            if architecture == nil, isUnpacked, state != "config-files" { throw paragraph.missing("Architecture") }
        }
        self.init(
            name: name,
            version: version ?? "",
            architecture: architecture ?? "",
            section: paragraph.text(.section),
            installedSize: try paragraph.size(.installedSize),
            maintainer: paragraph.text(.maintainer),
            status: status,
            summary: paragraph.summary,
            description: paragraph.longDescription,
            dependencies: try paragraph.dependencies()
        )
    }
}

extension ControlParagraph {
    /// The error for a required field that is absent or empty.
    fileprivate func missing(_ name: String) -> ControlFileError {
        guard isClosed, let first = lines.first else { return .truncated(atEndOf: lines.last?.number ?? 1) }
        return .missingField(name, line: first.number)
    }

    /// A value that is one word of the given bytes and starts with a letter or a digit.
    fileprivate func word(_ known: KnownField, allowing isAllowed: (UInt8) -> Bool) throws(ControlFileError) -> String?
    {
        guard let field = field(known), let word = text(known) else { return nil }
        guard let first = word.utf8.first, first.isLetter || first.isDigit, word.utf8.allSatisfy(isAllowed) else {
            throw .malformedField(line: lineNumber(of: field))
        }
        return word
    }

    fileprivate func size(_ known: KnownField) throws(ControlFileError) -> Int64? {
        guard let field = field(known), let digits = text(known) else { return nil }
        guard digits.utf8.allSatisfy(\.isDigit), let size = Int64(digits) else {
            throw .malformedSize(line: lineNumber(of: field))
        }
        return size
    }

    fileprivate var summary: String? {
        guard let field = field(.description) else { return nil }
        let range = value(of: field, line: field.lines.lowerBound)
        return range.isEmpty ? nil : string(range)
    }

    fileprivate var longDescription: String? {
        guard let field = field(.description), field.lines.count > 1 else { return nil }
        var text: [UInt8] = []
        for index in field.lines.dropFirst() {
            if index > field.lines.lowerBound + 1 { text.append(.newline) }
            let shown = value(of: field, line: index)
            if shown.count == 1, bytes[shown.lowerBound] == UInt8(ascii: ".") { continue }
            text.append(contentsOf: bytes[lines[index].start + 1..<lines[index].end])
        }
        return String(decoding: text, as: UTF8.self)
    }

    fileprivate func dependencies() throws(ControlFileError) -> [PackageDependency] {
        var all: [PackageDependency] = []
        for field in fields {
            guard let kind = field.known?.dependencyKind else { continue }
            do throws(DependencyField.Fault) {
                if field.lines.count == 1 {
                    let range = value(of: field, line: field.lines.lowerBound)
                    try DependencyField.parse(UnsafeRawBufferPointer(rebasing: bytes[range]), as: kind, into: &all)
                } else {
                    try parseFolded(field, as: kind, into: &all)
                }
            } catch {
                throw .malformedDependency(error.reason, line: lines[field.lines.lowerBound + error.line].number)
            }
        }
        return all
    }

    private func parseFolded(
        _ field: Field, as kind: PackageDependency.Kind, into all: inout [PackageDependency]
    ) throws(DependencyField.Fault) {
        // A comment may separate two lines, so the lines are copied rather than used in place.
        var joined: [UInt8] = []
        for index in field.lines {
            if index > field.lines.lowerBound { joined.append(.newline) }
            joined.append(contentsOf: bytes[value(of: field, line: index)])
        }
        try joined.withUnsafeBufferPointer { buffer throws(DependencyField.Fault) in
            try DependencyField.parse(UnsafeRawBufferPointer(buffer), as: kind, into: &all)
        }
    }
}

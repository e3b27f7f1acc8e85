/// The grammar of `Depends` and similar fields: groups separated by commas, alternatives separated by bars.
struct DependencyField {
    /// A syntax error, and its line in the value, from 0.
    struct Fault: Error {
        let reason: String
        let line: Int
    }

    private let bytes: UnsafeRawBufferPointer
    private let kind: PackageDependency.Kind
    private var position = 0

    /// Parses all of `bytes`, which has no leading or trailing blanks, and appends the dependencies; an empty text has
    /// none.
    static func parse(
        _ bytes: UnsafeRawBufferPointer, as kind: PackageDependency.Kind, into all: inout [PackageDependency]
    ) throws(Fault) {
        var field = DependencyField(bytes: bytes, kind: kind)
        try field.parseList(into: &all)
    }

    private init(bytes: UnsafeRawBufferPointer, kind: PackageDependency.Kind) {
        self.bytes = bytes
        self.kind = kind
    }

    private mutating func parseList(into all: inout [PackageDependency]) throws(Fault) {
        var group = 0
        // A comma after the last entry is accepted, as apt does.
        while position < bytes.count {
            var alternative = 0
            repeat {
                all.append(try parseOne(group: group, alternative: alternative))
                alternative += 1
            } while take("|")
            guard position == bytes.count || take(",") else {
                throw fault("a comma, a bar or the field's end is missing after an entry")
            }
            group += 1
        }
    }

    private mutating func parseOne(group: Int, alternative: Int) throws(Fault) -> PackageDependency {
        skipBlanks()
        guard let first = current, first.isLetter || first.isDigit else { throw fault("a package's name is missing") }
        let name = takeWord(where: \.isPackageNameByte)
        var architecture: String?
        if current == .colon {
            position += 1
            let qualifier = takeWord(where: \.isArchitectureByte)
            guard !qualifier.isEmpty else { throw fault("an architecture is missing after the colon") }
            architecture = qualifier
        }
        let bound = take("(") ? try parseVersion() : nil
        while true {
            if take("[") {
                try skipRestriction(until: UInt8(ascii: "]"))
            } else if take("<") {
                try skipRestriction(until: UInt8(ascii: ">"))
            } else {
                break
            }
        }
        return PackageDependency(
            kind: kind, group: group, alternative: alternative, name: name, architecture: architecture,
            relation: bound?.relation, version: bound?.version)
    }

    /// Parses a relation, a version and the closing parenthesis.
    private mutating func parseVersion() throws(Fault) -> (relation: PackageDependency.Relation, version: String) {
        let relation = takeRelation()
        skipBlanks()
        let version = takeWord(where: \.isVersionByte)
        guard !version.isEmpty else { throw fault("a version is missing in the parentheses") }
        guard take(")") else { throw fault("the parenthesis isn't closed after the version") }
        return (relation, version)
    }

    private mutating func takeRelation() -> PackageDependency.Relation {
        if take("<") {
            if takeNow("<") { return .earlier }
            _ = takeNow("=")
            return .earlierOrEqual
        }
        if take(">") {
            if takeNow(">") { return .later }
            _ = takeNow("=")
            return .laterOrEqual
        }
        _ = take("=")
        return .equal
    }

    /// Skips a list of architectures or build profiles, which does not apply to an installed package.
    private mutating func skipRestriction(until close: UInt8) throws(Fault) {
        while let byte = current, byte != close {
            guard byte.isArchitectureByte || byte.isBlank || byte == UInt8(ascii: "!") || byte == UInt8(ascii: ".")
            else {
                throw fault("a bracket isn't closed")
            }
            position += 1
        }
        guard current == close else { throw fault("a bracket isn't closed") }
        position += 1
    }

    private var current: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipBlanks() {
        while position < bytes.count, bytes[position].isBlank { position += 1 }
    }

    /// Consumes `sign` if it is next, and any blanks before it.
    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        skipBlanks()
        return takeNow(sign)
    }

    /// Consumes `sign` if it is at the current position.
    private mutating func takeNow(_ sign: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: sign) else { return false }
        position += 1
        return true
    }

    private mutating func takeWord(where isAllowed: (UInt8) -> Bool) -> String {
        let start = position
        while position < bytes.count, isAllowed(bytes[position]) { position += 1 }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }

    private func fault(_ reason: String) -> Fault {
        Fault(reason: reason, line: bytes[..<position].count { $0 == .newline })
    }
}

/// The fields that ``PackageParagraph`` contains, by their names in lower case.
enum KnownField: String, CaseIterable, Sendable {
    case package, version, architecture, section, maintainer, status, description
    case installedSize = "installed-size"
    case depends, recommends, suggests, enhances, breaks, conflicts, replaces, provides
    case preDepends = "pre-depends"

    private static let table = allCases.map { field in
        (hash: FieldName.hash(of: Array(field.rawValue.utf8)), name: Array(field.rawValue.utf8), field: field)
    }

    /// The field with the name `name`, case-insensitively; nil for all others.
    init?(_ name: UnsafeRawBufferPointer, hash: UInt64) {
        for entry in Self.table where entry.hash == hash {
            guard FieldName.isSame(name, entry.name) else { continue }
            self = entry.field
            return
        }
        return nil
    }

    /// The kind of dependencies that this field contains; nil if it contains none.
    var dependencyKind: PackageDependency.Kind? {
        switch self {
        case .depends: .depends
        case .preDepends: .preDepends
        case .recommends: .recommends
        case .suggests: .suggests
        case .enhances: .enhances
        case .breaks: .breaks
        case .conflicts: .conflicts
        case .replaces: .replaces
        case .provides: .provides
        case .package, .version, .architecture, .section, .maintainer, .status, .description, .installedSize: nil
        }
    }
}

/// Case-insensitive comparison of field names.
enum FieldName {
    /// FNV-1a of the lower-case letters: fast, and equal for equal names.
    static func hash(of name: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name {
            hash = (hash ^ UInt64(byte.lowercased)) &* 0x100_0000_01B3
        }
        return hash
    }

    static func isSame(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> Bool {
        one.elementsEqual(other) { $0.lowercased == $1.lowercased }
    }
}

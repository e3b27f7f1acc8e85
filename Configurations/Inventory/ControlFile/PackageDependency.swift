/// One alternative of one entry in a package's `Depends`, `Provides` or similar field.
///
/// `Depends: libc6 (>= 2.36), debconf (>= 0.5) | debconf-2.0` gives three values: `libc6` in group 0, and in group 1
/// `debconf` as alternative 0 and `debconf-2.0` as alternative 1. See Debian's policy, chapter 7, "Declaring
/// relationships between packages".
///
/// `PackageDependency` is `Sendable`.
public struct PackageDependency: Sendable, Hashable {
    /// The field that lists the dependency; the raw value is the field's name as Debian writes it. It is `Sendable`.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Required for the package to be configured.
        case depends = "Depends"
        /// Required before the package is unpacked.
        case preDepends = "Pre-Depends"
        /// Installed in all but unusual installations.
        case recommends = "Recommends"
        /// Makes the package more useful.
        case suggests = "Suggests"
        /// Is made more useful by the package.
        case enhances = "Enhances"
        /// Does not work if the package is installed.
        case breaks = "Breaks"
        /// Cannot be installed together with the package.
        case conflicts = "Conflicts"
        /// Has files, or all of itself, replaced by the package.
        case replaces = "Replaces"
        /// A name that the package provides.
        case provides = "Provides"
    }

    /// How a version is compared with ``PackageDependency/version``; the raw value is Debian's operator. It is
    /// `Sendable`.
    ///
    /// The obsolete operators `<` and `>`, which mean `<=` and `>=`, are read as these, and a version without an
    /// operator as `=`, as by dpkg.
    public enum Relation: String, Sendable, Hashable, CaseIterable {
        /// Strictly earlier.
        case earlier = "<<"
        /// Earlier or the same.
        case earlierOrEqual = "<="
        /// The same.
        case equal = "="
        /// Later or the same.
        case laterOrEqual = ">="
        /// Strictly later.
        case later = ">>"
    }

    /// The field that lists the dependency.
    public let kind: Kind

    /// The position in the field's comma-separated list, from 0.
    public let group: Int

    /// The position among the alternatives separated by `|`, from 0.
    public let alternative: Int

    /// The package's name, or a virtual package's, as written.
    public let name: String

    /// The suffix of the name after a colon, such as `any`, `native` or `amd64`; nil if there is none.
    public let architecture: String?

    /// How the version is compared; nil if any version is accepted.
    public let relation: Relation?

    /// The version to compare with; nil if and only if ``relation`` is.
    public let version: String?
}

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
        /// Has to be there for the package to be configured.
        case depends = "Depends"
        /// Has to be there before the package is unpacked.
        case preDepends = "Pre-Depends"
        /// Is there in all but unusual installations.
        case recommends = "Recommends"
        /// Makes the package more useful.
        case suggests = "Suggests"
        /// Is made more useful by the package.
        case enhances = "Enhances"
        /// Stops working beside the package.
        case breaks = "Breaks"
        /// Cannot be there at the same time.
        case conflicts = "Conflicts"
        /// Has files, or all of itself, replaced by the package.
        case replaces = "Replaces"
        /// A name that the package answers to as well.
        case provides = "Provides"
    }

    /// How a version has to compare with ``PackageDependency/version``; the raw value is Debian's sign. It is
    /// `Sendable`.
    ///
    /// The old signs `<` and `>`, which mean `<=` and `>=`, are read as these, and a version without a sign as `=`; so
    /// does dpkg.
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

    /// What follows the name behind a colon, such as `any`, `native` or `amd64`; nil where nothing does.
    public let architecture: String?

    /// How the version has to compare; nil where any version will do.
    public let relation: Relation?

    /// The version to compare with; nil exactly where ``relation`` is.
    public let version: String?
}

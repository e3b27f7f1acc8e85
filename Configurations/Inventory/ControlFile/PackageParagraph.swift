/// What one paragraph of a control file says of a package.
///
/// The values stand as the file has them, without the spaces around them; a field that went on over several lines is
/// joined with single spaces, except the description. An optional value is nil where the field is absent or empty.
///
/// ```swift
/// for package in try ControlFile.read(path: "/var/lib/dpkg/status").paragraphs()
/// where package.status?.hasSuffix(" installed") == true {
///     print(package.name, package.dependencies.count)
/// }
/// ```
///
/// `PackageParagraph` is `Sendable`.
public struct PackageParagraph: Sendable, Hashable {
    /// The package's name, such as `libc6`.
    public let name: String

    /// The version, such as `2.36-9+deb12u10`.
    ///
    /// It is empty only where dpkg itself knows none: for a package with a `Status` that ends in `not-installed` (dpkg
    /// remembers that somebody selected it) or `half-installed` (it was never unpacked).
    public let version: String

    /// The architecture, such as `amd64` or `all`.
    ///
    /// It is empty only where dpkg itself knows none: for a package with a `Status` that ends in `not-installed`,
    /// `half-installed` or `config-files`.
    public let architecture: String

    /// The archive's section, such as `utils`.
    public let section: String?

    /// The disk space that the package takes when it is installed, in KiB.
    public let installedSize: Int64?

    /// The maintainer's name and address.
    public let maintainer: String?

    /// dpkg's three words, such as `install ok installed` or `deinstall ok config-files`; nil in `Packages` lists.
    public let status: String?

    /// The first line of the description.
    public let summary: String?

    /// The other lines of the description, joined by newlines; nil where there are none, as in many `Packages` lists.
    ///
    /// The space that starts each line in the file is gone, and a line of ` .` is an empty line here. Lines that
    /// started with more spaces, which are to be shown as they stand, keep all but the first.
    public let description: String?

    /// The dependencies, field by field in the file's order and, in a field, in the list's.
    public let dependencies: [PackageDependency]
}

/// A paragraph of a control file, which describes a package.
///
/// The values are unchanged except for surrounding spaces; a field of several lines is joined with single spaces,
/// except the description. An optional value is nil if the field is absent or empty.
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
    /// It is empty only if dpkg itself has none: for a package with a `Status` that ends in `not-installed` (the
    /// package was only selected) or `half-installed` (it was never unpacked).
    public let version: String

    /// The architecture, such as `amd64` or `all`.
    ///
    /// It is empty only if dpkg itself has none: for a package with a `Status` that ends in `not-installed`,
    /// `half-installed` or `config-files`.
    public let architecture: String

    /// The archive's section, such as `utils`.
    public let section: String?

    /// The disk space of the installed package, in KiB.
    public let installedSize: Int64?

    /// The maintainer's name and address.
    public let maintainer: String?

    /// dpkg's three words, such as `install ok installed` or `deinstall ok config-files`; nil in `Packages` lists.
    public let status: String?

    /// The first line of the description.
    public let summary: String?

    /// The other lines of the description, joined by newlines; nil if there are none, as in many `Packages` lists.
    ///
    /// The space at the start of each line is removed, and a line of ` .` becomes an empty line. Lines that start with
    /// several spaces, which are preformatted, keep all but the first.
    public let description: String?

    /// The dependencies, in the order of the fields and of the entries in each field.
    public let dependencies: [PackageDependency]
}

/// A property that references a row of another table: its type is that of the other table's primary key, or the
/// optional of that.
public protocol KeyReference: SendableMetatype {
    /// The type of the other table's primary key.
    associatedtype Referred: TableKey

    /// The key of the referenced row; nil for none.
    var _referredKey: Referred? { get }

    /// The value that references no row; nil for a type that is not optional.
    static var _noReference: Self? { get }

    /// References a row.
    ///
    /// - Parameter key: The row's primary key.
    init(_referringTo key: Referred)
}

extension TableKey {
    /// The key itself.
    public var _referredKey: Self? { self }

    /// Nil: a key always references a row.
    public static var _noReference: Self? { nil }

    /// The key itself.
    public init(_referringTo key: Self) { self = key }
}

extension Optional: KeyReference where Wrapped: TableKey {
    /// The key itself.
    public var _referredKey: Wrapped? { self }

    /// Nil, as a value.
    public static var _noReference: Wrapped?? { .some(nil) }

    /// The key itself.
    public init(_referringTo key: Wrapped) { self = key }
}

/// A property that refers to a row of another table: of the type of that table's primary key, or of its optional.
public protocol KeyReference: SendableMetatype {
    /// The type of the other table's primary key.
    associatedtype Referred: TableKey

    /// The key of the row that is referred to; nil for none.
    var referredKey: Referred? { get }

    /// What refers to no row; nil for a type that always refers to one.
    static var noReference: Self? { get }

    /// Refers to a row.
    ///
    /// - Parameter key: The row's primary key.
    init(referringTo key: Referred)
}

extension TableKey {
    /// The key itself.
    public var referredKey: Self? { self }

    /// Nil: a key always refers to a row.
    public static var noReference: Self? { nil }

    /// The key itself.
    public init(referringTo key: Self) { self = key }
}

extension Optional: KeyReference where Wrapped: TableKey {
    /// The key itself.
    public var referredKey: Wrapped? { self }

    /// Nil, as a value.
    public static var noReference: Wrapped?? { .some(nil) }

    /// The key itself.
    public init(referringTo key: Wrapped) { self = key }
}

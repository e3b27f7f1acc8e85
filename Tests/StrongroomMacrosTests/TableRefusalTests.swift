import Testing

@Suite("Types that @Table refuses")
struct TableRefusalTests {
    @Test(arguments: refusals)
    func refused(refusal: Refusal) { refusal.expect() }

    private static let refusals: [Refusal] = [
        Refusal(
            "a class is no table",
            #"""
            @Table("t")
            final ▸class T {
            }
            """#,
            #"@Table can only be applied to a struct"#),
        Refusal(
            "a generic struct",
            #"""
            @Table("t")
            struct T▸<V> {
                var id: V
            }
            """#,
            #"@Table cannot be applied to a generic type: it cannot contain static columns"#),
        Refusal(
            "an empty table name",
            #"""
            @Table(▸"")
            struct T {
                var id: Int64?
            }
            """#,
            #"A table's name must not be empty"#),
        Refusal(
            "the engines own table name",
            #"""
            @Table(▸"SQLite_t")
            struct T {
                var id: Int64?
            }
            """#,
            #"The table name 'SQLite_t' is reserved; use one that does not begin with 'sqlite_'"#),
        Refusal(
            "an interpolated table name",
            #"""
            @Table(▸"\(name)")
            struct T {
                var id: Int64?
            }
            """#,
            #"A table's name must be a string literal without interpolation"#),
        Refusal(
            "a table without a key",
            #"""
            @Table("t")
            public struct ▸T {
                var name: String
            }
            """#,
            #"'T' has no primary key: mark a property @Column(primaryKey: true), or add one that is named 'id'"#,
            fixIts: ["Add 'var id: Int64?'"],
            fixed: #"""
                @Table("t")
                public struct T {
                    public var id: Int64?
                    var name: String
                }
                """#),
        Refusal(
            "a table that is a record",
            #"""
            @Table("t") ▸@Record
            struct T {
                var id: Int64?
            }
            """#,
            #"@Table makes the type a record, too; remove @Record"#),
        Refusal(
            "a further table with columns",
            #"""
            @Table("t", of: R.self)
            struct T {
                ▸var id: Int64?
            }
            """#,
            #"A table of another type's records has no columns of its own"#),
    ]
}

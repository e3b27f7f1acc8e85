import Testing

@Suite("Properties that macros refuse")
struct PropertyRefusalTests {
    @Test(arguments: refusals)
    func refused(refusal: Refusal) { refusal.expect() }

    private static let refusals: [Refusal] = [
        .column(
            #"▸var a, b: Int"#,
            #"Several properties in one declaration cannot be read as columns; declare each on its own"#,
            fixIts: ["Declare each on its own"],
            fixed: #"""
                var a: Int
                var b: Int
                """#),
        .column(
            #"let ▸(a, b): (Int, Int)"#,
            #"A pattern cannot be read as a column; declare each property on its own"#),
        .column(
            #"var ▸date = Date()"#,
            #"The column 'date' needs a type annotation"#,
            fixIts: ["Add its type"],
            fixed: #"var date: <#Type#> = Date()"#),
        .column(
            #"@Column(scale: ▸19) var price: Decimal"#,
            #"'scale' must be an integer literal from 0 to 18, the number of digits after the point"#),
        .column(
            #"@Column(scale: ▸digits) var price: Decimal?"#,
            #"'scale' must be an integer literal from 0 to 18, the number of digits after the point"#),
        .column(
            #"@Column(scale: ▸2) var price: Double?"#,
            #"Only a Decimal has a scale, and 'price' is Double?; write its type as Decimal, or leave the scale out"#),
        .column(
            #"▸let size: Int = 3"#,
            #"The constant 'size' has its value already and cannot be read from a row"#,
            fixIts: ["Make it a variable", "Mark it @Ignored"],
            fixed: #"var size: Int = 3"#),
        .column(
            #"▸lazy var size: Int = 3"#,
            #"The lazy property 'size' cannot be a column"#,
            fixIts: ["Mark it @Ignored"],
            fixed: #"@Ignored lazy var size: Int = 3"#),
        .column(
            #"var pair: ▸(Int, Int)"#,
            #"The property 'pair' is a tuple, which no column can store; mark it @Ignored"#,
            fixIts: ["Mark it @Ignored"],
            fixed: #"@Ignored var pair: (Int, Int)"#),
        .column(
            #"@Column("f") var call: ▸(@Sendable () -> Void)?"#,
            #"The property 'call' is a function, which no column can store; mark it @Ignored"#,
            fixIts: ["Mark it @Ignored"],
            fixed: #"@Ignored var call: (@Sendable () -> Void)?"#),
        .column(
            #"@Ignored var ▸size: Int"#,
            #"The ignored property 'size' needs a default value"#,
            fixIts: ["Give it a value"],
            fixed: #"@Ignored var size: Int = <#value#>"#),
        .column(
            #"@Column("s") ▸@Ignored var size: Int = 1"#,
            #"The property 'size' cannot be both @Column and @Ignored"#),
        .column(
            #"""
            ▸#if DEBUG
            var size: Int
            #endif
            """#,
            #"A column cannot depend on '#if': every build must see the same table"#),
        .column(
            #"@Column(▸"ID") var size: Int"#,
            #"There are two columns named 'ID'; the engine ignores the case of names"#),
        .column(
            #"@Column(▸"") var size: Int"#,
            #"A column's name must not be empty"#),
        .column(
            #"@Column(▸name) var size: Int"#,
            #"A column's name must be a string literal without interpolation"#),
        Refusal(
            #"""
            @Table("t")
            struct T {
                @Column(primaryKey: ▸isKey) var size: Int
            }
            """#,
            #"'primaryKey' must be 'true' or 'false', so that the macro can read it"#),
        .column(
            #"@Column(as: ▸coding) var size: Int"#,
            #"'as' must be '.json' or the form of a date, such as '.iso8601', written out here"#),
        .column(
            #"var tags: ▸[Tag]"#,
            #"The property 'tags' is an array, which is no column value; store it with @Column(as: .json)"#,
            fixIts: ["Store it as JSON", "Mark it @Ignored"],
            fixed: #"@Column(as: .json) var tags: [Tag]"#),
        .column(
            #"@Column("all", indexed: true) var tags: ▸[[UInt8]]?"#,
            #"The property 'tags' is an array, which is no column value; store it with @Column(as: .json)"#,
            fixIts: ["Store it as JSON", "Mark it @Ignored"],
            fixed: #"@Column("all", indexed: true, as: .json) var tags: [[UInt8]]?"#),
        .column(
            #"@Column(default: ▸1) var calls: Int = 0"#,
            #"The default of 'calls' differs from its initial value, which is the column's default; remove one"#),
        .column(
            #"@Column(as: ▸.iso8601) var date: String?"#,
            #"Only a Date has the form '.iso8601', and 'date' is String?; leave 'as' out"#),
        .column(
            #"@Column(primaryKey: true, as: ▸.iso8601WithBlank) var date: Date"#,
            #"'date' is part of the key, in which dates have no other form; leave 'as' out"#),
        .column(
            #"@Column(kept: ▸.author) var author: Int"#,
            #"'kept' must be '.version', '.created' or '.updated', so that the macro can read it"#),
        .column(
            #"@Column(kept: ▸.version) var version: Int?"#,
            #"'kept: .version' needs a variable that is an Int or an Int64 and no part of the key, not 'version: Int?'"#
        ),
        .column(
            #"@Column(kept: ▸.created) var made: Double"#,
            #"'kept: .created' needs a variable that is a Date or a Date? and no part of the key, not 'made: Double'"#),
        .column(
            #"""
            @Column(kept: .version) var version = 0
            @Column(kept: ▸.version) var other = 0
            """#,
            #"Two columns are 'kept: .version'; a table keeps one"#),
        Refusal(
            #"""
            @Table("t")
            struct ▸T {
                static let a = 1
                var b: Int { 2 }
            }
            """#,
            #"'T' has no stored property that could be a column"#),
        Refusal(
            #"""
            @Table("t")
            struct T {
                @Column(autoincrement: ▸true) var id: String
            }
            """#,
            #"Only a primary key of type Int or Int64 can autoincrement, not 'id'"#),
        Refusal(
            #"""
            @Table("t")
            struct T {
                @Column(primaryKey: true) var ▸a: Int?
                @Column(primaryKey: true) var b: Int
            }
            """#,
            #"'a' is part of a key of several columns and cannot be optional"#),
    ]
}

@Suite("Types that @Table refuses")
struct TableRefusalTests {
    @Test(arguments: refusals)
    func refused(refusal: Refusal) { refusal.expect() }

    private static let refusals: [Refusal] = [
        Refusal(
            #"""
            @Table("t")
            final ▸class T {
            }
            """#,
            #"@Table can only be applied to a struct"#),
        Refusal(
            #"""
            @Table("t")
            struct T▸<V> {
                var id: V
            }
            """#,
            #"@Table cannot be applied to a generic type: it cannot contain static columns"#),
        Refusal(
            #"""
            @Table(▸"")
            struct T {
                var id: Int64?
            }
            """#,
            #"A table's name must not be empty"#),
        Refusal(
            #"""
            @Table(▸"SQLite_t")
            struct T {
                var id: Int64?
            }
            """#,
            #"The table name 'SQLite_t' is reserved; use one that does not begin with 'sqlite_'"#),
        Refusal(
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
            #"""
            @Table("t") ▸@Record
            struct T {
                var id: Int64?
            }
            """#,
            #"@Table makes the type a record, too; remove @Record"#),
        Refusal(
            #"""
            @Table("t", of: R.self)
            struct T {
                ▸var id: Int64?
            }
            """#,
            #"A table of another type's records has no columns of its own"#),
    ]
}

@Suite("What @Configuration and @Column refuse")
struct ConfigurationRefusalTests {
    @Test(arguments: refusals)
    func refused(refusal: Refusal) { refusal.expect() }

    private static let refusals: [Refusal] = [
        Refusal(
            #"""
            struct T {
                ▸@Column("a") var b: Int { 2 }
            }
            """#,
            #"@Column can only be applied to a stored property"#),
        Refusal(
            #"""
            @Configuration("a")
            struct ▸A {
                let size: Int
            }
            """#,
            #"'A' needs an 'init()', which Stores.shared calls"#,
            fixIts: ["Add 'init()'"],
            fixed: #"""
                @Configuration("a")
                struct A {
                    let size: Int
                    init() { <#code#> }
                }
                """#,
            isConfiguration: true),
        Refusal(
            #"""
            @Configuration(▸"a_b")
            struct A {
            }
            """#,
            #"No database name has the target 'a_b'; use the part before the first '_' or '.'"#,
            isConfiguration: true),
        Refusal(
            #"""
            @Configuration(▸"")
            struct A {
            }
            """#,
            #"A target must not be empty"#,
            isConfiguration: true),
        Refusal(
            #"""
            @Configuration("a")
            struct A▸<T> {
            }
            """#,
            #"@Configuration cannot be applied to a generic type: it cannot contain static columns"#,
            isConfiguration: true),
    ]
}

import Testing

@Suite("Properties that macros refuse")
struct PropertyRefusalTests {
    @Test(arguments: refusals)
    func refused(refusal: Refusal) { refusal.expect() }

    private static let refusals: [Refusal] = [
        .column(
            "two properties in one declaration",
            #"▸var a, b: Int"#,
            #"Several properties in one declaration cannot be read as columns; declare each on its own"#,
            fixIts: ["Declare each on its own"],
            fixed: #"""
                var a: Int
                var b: Int
                """#),
        .column(
            "a pattern",
            #"let ▸(a, b): (Int, Int)"#,
            #"A pattern cannot be read as a column; declare each property on its own"#),
        .column(
            "a property without a type",
            #"var ▸date = Date()"#,
            #"The column 'date' needs a type annotation"#,
            fixIts: ["Add its type"],
            fixed: #"var date: <#Type#> = Date()"#),
        .column(
            "a scale that there is not",
            #"@Column(scale: ▸19) var price: Decimal"#,
            #"'scale' must be an integer literal from 0 to 18, the number of digits after the point"#),
        .column(
            "a scale that is negative",
            #"@Column(scale: ▸-1) var price: Decimal"#,
            #"'scale' must be an integer literal from 0 to 18, the number of digits after the point"#),
        .column(
            "a scale that is no literal",
            #"@Column(scale: ▸digits) var price: Decimal?"#,
            #"'scale' must be an integer literal from 0 to 18, the number of digits after the point"#),
        .column(
            "a scale of another type",
            #"@Column(scale: ▸2) var price: Double?"#,
            #"Only a Decimal has a scale, and 'price' is Double?; write its type as Decimal, or leave the scale out"#),
        .column(
            "a scale of JSON",
            #"@Column(scale: ▸2, as: .json) var price: Decimal"#,
            #"Only a Decimal has a scale, and 'price' is Decimal; write its type as Decimal, or leave the scale out"#),
        .column(
            "a constant with a value",
            #"▸let size: Int = 3"#,
            #"The constant 'size' has its value already and cannot be read from a row"#,
            fixIts: ["Make it a variable", "Mark it @Ignored"],
            fixed: #"var size: Int = 3"#),
        .column(
            "a lazy property",
            #"▸lazy var size: Int = 3"#,
            #"The lazy property 'size' cannot be a column"#,
            fixIts: ["Mark it @Ignored"],
            fixed: #"@Ignored lazy var size: Int = 3"#),
        .column(
            "a tuple",
            #"var pair: ▸(Int, Int)"#,
            #"The property 'pair' is a tuple, which no column can store; mark it @Ignored"#,
            fixIts: ["Mark it @Ignored"],
            fixed: #"@Ignored var pair: (Int, Int)"#),
        .column(
            "a function",
            #"@Column("f") var call: ▸(@Sendable () -> Void)?"#,
            #"The property 'call' is a function, which no column can store; mark it @Ignored"#,
            fixIts: ["Mark it @Ignored"],
            fixed: #"@Ignored var call: (@Sendable () -> Void)?"#),
        .column(
            "an ignored property without a value",
            #"@Ignored var ▸size: Int"#,
            #"The ignored property 'size' needs a default value"#,
            fixIts: ["Give it a value"],
            fixed: #"@Ignored var size: Int = <#value#>"#),
        .column(
            "an ignored column",
            #"@Column("s") ▸@Ignored var size: Int = 1"#,
            #"The property 'size' cannot be both @Column and @Ignored"#),
        .column(
            "a conditional column",
            #"""
            ▸#if DEBUG
            var size: Int
            #endif
            """#,
            #"A column cannot depend on '#if': every build must see the same table"#),
        .column(
            "two columns with one name",
            #"@Column(▸"ID") var size: Int"#,
            #"There are two columns named 'ID'; the engine ignores the case of names"#),
        .column(
            "an empty column name",
            #"@Column(▸"") var size: Int"#,
            #"A column's name must not be empty"#),
        .column(
            "a computed column name",
            #"@Column(▸name) var size: Int"#,
            #"A column's name must be a string literal without interpolation"#),
        Refusal(
            "a computed key mark",
            #"""
            @Table("t")
            struct T {
                @Column(primaryKey: ▸isKey) var size: Int
            }
            """#,
            #"'primaryKey' must be 'true' or 'false', so that the macro can read it"#),
        .column(
            "an unknown encoding",
            #"@Column(as: ▸coding) var size: Int"#,
            #"'as' must be '.json' or the form of a date, such as '.iso8601', written out here"#),
        .column(
            "an array",
            #"var tags: ▸[Tag]"#,
            #"The property 'tags' is an array, which is no column value; store it with @Column(as: .json)"#,
            fixIts: ["Store it as JSON", "Mark it @Ignored"],
            fixed: #"@Column(as: .json) var tags: [Tag]"#),
        .column(
            "an array with arguments for its column",
            #"@Column("all", indexed: true) var tags: ▸[[UInt8]]?"#,
            #"The property 'tags' is an array, which is no column value; store it with @Column(as: .json)"#,
            fixIts: ["Store it as JSON", "Mark it @Ignored"],
            fixed: #"@Column("all", indexed: true, as: .json) var tags: [[UInt8]]?"#),
        .column(
            "a dictionary",
            #"var notes: ▸[String: String] = [:]"#,
            #"The property 'notes' is a dictionary, which is no column value; store it with @Column(as: .json)"#,
            fixIts: ["Store it as JSON", "Mark it @Ignored"],
            fixed: #"@Column(as: .json) var notes: [String: String] = [:]"#),
        .column(
            "two defaults that differ",
            #"@Column(default: ▸1) var calls: Int = 0"#,
            #"The default of 'calls' differs from its initial value, which is the column's default; remove one"#),
        .column(
            "two cases that differ",
            #"@Column(default: ▸Level.high) var level: Level = .low"#,
            #"The default of 'level' differs from its initial value, which is the column's default; remove one"#),
        .column(
            "the form of a date for another type",
            #"@Column(as: ▸.iso8601) var date: String?"#,
            #"Only a Date has the form '.iso8601', and 'date' is String?; leave 'as' out"#),
        .column(
            "the form of a date in a key",
            #"@Column(primaryKey: true, as: ▸.iso8601WithBlank) var date: Date"#,
            #"'date' is part of the key, in which dates have no other form; leave 'as' out"#),
        .column(
            "something unknown that is kept",
            #"@Column(kept: ▸.author) var author: Int"#,
            #"'kept' must be '.version', '.created' or '.updated', so that the macro can read it"#),
        .column(
            "a version that may be nil",
            #"@Column(kept: ▸.version) var version: Int?"#,
            #"'kept: .version' needs a variable that is an Int or an Int64 and no part of the key, not 'version: Int?'"#
        ),
        .column(
            "a time that is a number",
            #"@Column(kept: ▸.created) var made: Double"#,
            #"'kept: .created' needs a variable that is a Date or a Date? and no part of the key, not 'made: Double'"#),
        .column(
            "a constant that is kept",
            #"@Column(kept: ▸.updated) let made: Date"#,
            #"'kept: .updated' needs a variable that is a Date or a Date? and no part of the key, not 'made: Date'"#),
        .column(
            "two versions",
            #"""
            @Column(kept: .version) var version = 0
            @Column(kept: ▸.version) var other = 0
            """#,
            #"Two columns are 'kept: .version'; a table keeps one"#),
        Refusal(
            "a struct without columns",
            #"""
            @Table("t")
            struct ▸T {
                static let a = 1
                var b: Int { 2 }
            }
            """#,
            #"'T' has no stored property that could be a column"#),
        Refusal(
            "autoincrement of a text",
            #"""
            @Table("t")
            struct T {
                @Column(autoincrement: ▸true) var id: String
            }
            """#,
            #"Only a primary key of type Int or Int64 can autoincrement, not 'id'"#),
        Refusal(
            "an optional part of a key",
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

@Suite("What @Configuration and @Column refuse")
struct ConfigurationRefusalTests {
    @Test(arguments: refusals)
    func refused(refusal: Refusal) { refusal.expect() }

    private static let refusals: [Refusal] = [
        Refusal(
            "a column that is computed",
            #"""
            struct T {
                ▸@Column("a") var b: Int { 2 }
            }
            """#,
            #"@Column can only be applied to a stored property"#),
        Refusal(
            "a configuration that cannot be made",
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
            "a target that no name has",
            #"""
            @Configuration(▸"a_b")
            struct A {
            }
            """#,
            #"No database name has the target 'a_b'; use the part before the first '_' or '.'"#,
            isConfiguration: true),
        Refusal(
            "an empty target",
            #"""
            @Configuration(▸"")
            struct A {
            }
            """#,
            #"A target must not be empty"#,
            isConfiguration: true),
        Refusal(
            "a generic configuration",
            #"""
            @Configuration("a")
            struct A▸<T> {
            }
            """#,
            #"@Configuration cannot be applied to a generic type: it cannot contain static columns"#,
            isConfiguration: true),
    ]
}

#if Macros
import Testing

@Suite("Types that @Table refuses")
struct TableRefusalTests {
    @Test func aClassIsNoTable() {
        expectRefusal(
            #"""
            @Table("t")
            final class T {
            }
            """#,
            expanded: #"""
                final class T {
                }
                """#,
            #"@Table can only be applied to a struct"#,
            line: 2, column: 7)
    }

    @Test func aGenericStruct() {
        expectRefusal(
            #"""
            @Table("t")
            struct T<V> {
                var id: V
            }
            """#,
            expanded: #"""
                struct T<V> {
                    var id: V
                }
                """#,
            #"@Table cannot be applied to a generic type: it has no place for static columns"#,
            line: 2, column: 9)
    }

    @Test func anEmptyTableName() {
        expectRefusal(
            #"""
            @Table("")
            struct T {
                var id: Int64?
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                }
                """#,
            #"A table's name must not be empty"#,
            line: 1, column: 8)
    }

    @Test func theEnginesOwnTableName() {
        expectRefusal(
            #"""
            @Table("SQLite_t")
            struct T {
                var id: Int64?
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                }
                """#,
            #"The table name 'SQLite_t' is the engine's own; use one that does not begin with 'sqlite_'"#,
            line: 1, column: 8)
    }

    @Test func anInterpolatedTableName() {
        expectRefusal(
            #"""
            @Table("\(name)")
            struct T {
                var id: Int64?
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                }
                """#,
            #"A table's name must be a string literal without interpolation"#,
            line: 1, column: 8)
    }

    @Test func aTableWithoutAKey() {
        expectRefusal(
            #"""
            @Table("t")
            public struct T {
                var name: String
            }
            """#,
            expanded: #"""
                public struct T {
                    var name: String
                }
                """#,
            #"'T' has no primary key: mark a property @Column(primaryKey: true), or add one that is named 'id'"#,
            line: 2, column: 15,
            fixIts: ["Add 'var id: Int64?'"],
            fixed: #"""
                @Table("t")
                public struct T {
                    public var id: Int64?
                    var name: String
                }
                """#)
    }

    @Test func aTableThatIsARecord() {
        expectRefusal(
            #"""
            @Table("t") @Record
            struct T {
                var id: Int64?
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                }
                """#,
            #"@Table makes the type a record, too; remove @Record"#,
            line: 1, column: 13)
    }

    @Test func aFurtherTableWithColumns() {
        expectRefusal(
            #"""
            @Table("t", of: R.self)
            struct T {
                var id: Int64?
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                }
                """#,
            #"A table of another type's records has no columns of its own"#,
            line: 3, column: 5)
    }
}
#endif

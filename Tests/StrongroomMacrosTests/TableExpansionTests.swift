#if Macros
import Testing

@Suite("The expansion of @Table")
struct TableExpansionTests {
    @Test func aTableWithAnIntegerKey() {
        expectExpansion(
            #"""
            @Table("contact", in: "addressbook.sqlite")
            public struct Contact {
                public var id: Int64?
                @Column("e-mail", unique: true) public var email: String
                var `order` = 0
                @Ignored var isSelected = false
            }
            """#,
            #"""
            @@aTableWithAnIntegerKey@@
            """#)
    }

    @Test func aKeyOfSeveralColumns() {
        expectExpansion(
            #"""
            @Table("line")
            struct Line {
                @Column(primaryKey: true) let order: Int64
                @Column(primaryKey: true) var line: Int
            }
            """#,
            #"""
            @@aKeyOfSeveralColumns@@
            """#)
    }

    @Test func aFurtherTable() {
        expectExpansion(
            #"""
            @Table("archive", of: Contact.self)
            enum Archive {}
            """#,
            #"""
            @@aFurtherTable@@
            """#)
    }
}
#endif

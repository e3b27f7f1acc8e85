#if Macros
import Testing

@Suite("The expansion of @Record")
struct RecordExpansionTests {
    @Test func encodedAndGeneratedColumns() {
        expectExpansion(
            #"""
            @Record
            struct Page {
                @Column(as: .json) var settings: Settings
                @Column("extra", as: .propertyList) var more: [Extra]?
                @Column(generated: .stored("1 + 1")) let two: Int
            }
            """#,
            #"""
            @@encodedAndGeneratedColumns@@
            """#)
    }
}
#endif

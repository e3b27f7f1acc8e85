#if Macros
import Testing

@Suite("Properties that macros refuse")
struct PropertyRefusalTests {
    @Test func twoPropertiesInOneDeclaration() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                var a, b: Int
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var a, b: Int
                }
                """#,
            #"Several properties in one declaration cannot be read as columns; declare each on its own"#,
            line: 4, column: 5,
            fixIts: ["Declare each on its own"],
            fixed: #"""
                @Table("t")
                struct T {
                    var id: Int64?
                    var a: Int
                    var b: Int
                }
                """#)
    }

    @Test func aPattern() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                let (a, b): (Int, Int)
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    let (a, b): (Int, Int)
                }
                """#,
            #"A pattern cannot be read as a column; declare each property on its own"#,
            line: 4, column: 9)
    }

    @Test func aPropertyWithoutAType() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                var date = Date()
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var date = Date()
                }
                """#,
            #"The column 'date' needs a type annotation"#,
            line: 4, column: 9,
            fixIts: ["Add its type"],
            fixed: #"""
                @Table("t")
                struct T {
                    var id: Int64?
                    var date: <#Type#> = Date()
                }
                """#)
    }

    @Test func aScaleThatThereIsNot() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column(scale: 19) var price: Decimal
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var price: Decimal
                }
                """#,
            #"'scale' must be an integer literal from 0 to 18, the number of digits after the point"#,
            line: 4, column: 20)
    }

    @Test func aScaleThatIsNegative() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column(scale: -1) var price: Decimal
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var price: Decimal
                }
                """#,
            #"'scale' must be an integer literal from 0 to 18, the number of digits after the point"#,
            line: 4, column: 20)
    }

    @Test func aScaleThatIsNoLiteral() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column(scale: digits) var price: Decimal?
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var price: Decimal?
                }
                """#,
            #"'scale' must be an integer literal from 0 to 18, the number of digits after the point"#,
            line: 4, column: 20)
    }

    @Test func aScaleOfAnotherType() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column(scale: 2) var price: Double?
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var price: Double?
                }
                """#,
            #"Only a Decimal has a scale, and 'price' is Double?; write its type as Decimal, or leave the scale out"#,
            line: 4, column: 20)
    }

    @Test func aScaleOfJSON() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column(scale: 2, as: .json) var price: Decimal
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var price: Decimal
                }
                """#,
            #"Only a Decimal has a scale, and 'price' is Decimal; write its type as Decimal, or leave the scale out"#,
            line: 4, column: 20)
    }

    @Test func aConstantWithAValue() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                let size: Int = 3
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    let size: Int = 3
                }
                """#,
            #"The constant 'size' has its value already and cannot be read from a row"#,
            line: 4, column: 5,
            fixIts: ["Make it a variable", "Mark it @Ignored"],
            fixed: #"""
                @Table("t")
                struct T {
                    var id: Int64?
                    var size: Int = 3
                }
                """#)
    }

    @Test func aLazyProperty() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                lazy var size: Int = 3
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    lazy var size: Int = 3
                }
                """#,
            #"The lazy property 'size' cannot be a column"#,
            line: 4, column: 5,
            fixIts: ["Mark it @Ignored"],
            fixed: #"""
                @Table("t")
                struct T {
                    var id: Int64?
                    @Ignored lazy var size: Int = 3
                }
                """#)
    }

    @Test func aTuple() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                var pair: (Int, Int)
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var pair: (Int, Int)
                }
                """#,
            #"The property 'pair' is a tuple, which no column can hold; mark it @Ignored"#,
            line: 4, column: 15,
            fixIts: ["Mark it @Ignored"],
            fixed: #"""
                @Table("t")
                struct T {
                    var id: Int64?
                    @Ignored var pair: (Int, Int)
                }
                """#)
    }

    @Test func aFunction() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column("f") var call: (@Sendable () -> Void)?
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var call: (@Sendable () -> Void)?
                }
                """#,
            #"The property 'call' is a function, which no column can hold; mark it @Ignored"#,
            line: 4, column: 28,
            fixIts: ["Mark it @Ignored"],
            fixed: #"""
                @Table("t")
                struct T {
                    var id: Int64?
                    @Ignored var call: (@Sendable () -> Void)?
                }
                """#)
    }

    @Test func anIgnoredPropertyWithoutAValue() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Ignored var size: Int
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var size: Int
                }
                """#,
            #"The ignored property 'size' needs a default value"#,
            line: 4, column: 18,
            fixIts: ["Give it a value"],
            fixed: #"""
                @Table("t")
                struct T {
                    var id: Int64?
                    @Ignored var size: Int = <#value#>
                }
                """#)
    }

    @Test func anIgnoredColumn() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column("s") @Ignored var size: Int = 1
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var size: Int = 1
                }
                """#,
            #"The property 'size' cannot be both @Column and @Ignored"#,
            line: 4, column: 18)
    }

    @Test func aConditionalColumn() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                #if DEBUG
                var size: Int
                #endif
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    #if DEBUG
                    var size: Int
                    #endif
                }
                """#,
            #"A column cannot depend on '#if': every build must see the same table"#,
            line: 4, column: 5)
    }

    @Test func twoColumnsWithOneName() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column("ID") var size: Int
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var size: Int
                }
                """#,
            #"There are two columns named 'ID'; the engine does not tell upper from lower case"#,
            line: 4, column: 13)
    }

    @Test func anEmptyColumnName() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column("") var size: Int
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var size: Int
                }
                """#,
            #"A column's name must not be empty"#,
            line: 4, column: 13)
    }

    @Test func aComputedColumnName() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column(name) var size: Int
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var size: Int
                }
                """#,
            #"A column's name must be a string literal without interpolation"#,
            line: 4, column: 13)
    }

    @Test func aComputedKeyMark() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                @Column(primaryKey: isKey) var size: Int
            }
            """#,
            expanded: #"""
                struct T {
                    var size: Int
                }
                """#,
            #"'primaryKey' must be 'true' or 'false', so that the macro can read it"#,
            line: 3, column: 25)
    }

    @Test func anUnknownEncoding() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                var id: Int64?
                @Column(as: coding) var size: Int
            }
            """#,
            expanded: #"""
                struct T {
                    var id: Int64?
                    var size: Int
                }
                """#,
            #"'as' must be '.json' or '.propertyList', so that the macro can read it"#,
            line: 4, column: 17)
    }

    @Test func aStructWithoutColumns() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                static let a = 1
                var b: Int { 2 }
            }
            """#,
            expanded: #"""
                struct T {
                    static let a = 1
                    var b: Int { 2 }
                }
                """#,
            #"'T' has no stored property that could be a column"#,
            line: 2, column: 8)
    }

    @Test func autoincrementOfAText() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                @Column(autoincrement: true) var id: String
            }
            """#,
            expanded: #"""
                struct T {
                    var id: String
                }
                """#,
            #"Only a primary key of type Int or Int64 can autoincrement, not 'id'"#,
            line: 3, column: 28)
    }

    @Test func anOptionalPartOfAKey() {
        expectRefusal(
            #"""
            @Table("t")
            struct T {
                @Column(primaryKey: true) var a: Int?
                @Column(primaryKey: true) var b: Int
            }
            """#,
            expanded: #"""
                struct T {
                    var a: Int?
                    var b: Int
                }
                """#,
            #"'a' is part of a key of several columns and cannot be optional"#,
            line: 3, column: 35)
    }
}
#endif

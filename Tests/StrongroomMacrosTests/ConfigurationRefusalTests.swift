#if Macros
import Testing

@Suite("What @Configuration and @Column refuse")
struct ConfigurationRefusalTests {
    @Test func aColumnThatIsComputed() {
        expectRefusal(
            #"""
            struct T {
                @Column("a") var b: Int { 2 }
            }
            """#,
            expanded: #"""
                struct T {
                    var b: Int { 2 }
                }
                """#,
            #"@Column can only be applied to a stored property"#,
            line: 2, column: 5)
    }

    @Test func aConfigurationThatCannotBeMade() {
        expectRefusal(
            #"""
            @Configuration("a")
            struct A {
                let size: Int
            }
            """#,
            expanded: #"""
                struct A {
                    let size: Int
                }

                extension A: Strongroom.Configuration {
                }
                """#,
            #"'A' needs an 'init()' of its own, by which Stores.shared makes it"#,
            line: 2, column: 8,
            fixIts: ["Add 'init()'"],
            fixed: #"""
                @Configuration("a")
                struct A {
                    let size: Int
                    init() { <#code#> }
                }
                """#)
    }

    @Test func aTargetThatNoNameHas() {
        expectRefusal(
            #"""
            @Configuration("a_b")
            struct A {
            }
            """#,
            expanded: #"""
                struct A {
                }

                extension A: Strongroom.Configuration {
                }
                """#,
            #"No database name has the target 'a_b'; use the part before the first '_' or '.'"#,
            line: 1, column: 16)
    }

    @Test func anEmptyTarget() {
        expectRefusal(
            #"""
            @Configuration("")
            struct A {
            }
            """#,
            expanded: #"""
                struct A {
                }

                extension A: Strongroom.Configuration {
                }
                """#,
            #"A target must not be empty"#,
            line: 1, column: 16)
    }

    @Test func aGenericConfiguration() {
        expectRefusal(
            #"""
            @Configuration("a")
            struct A<T> {
            }
            """#,
            expanded: #"""
                struct A<T> {
                }

                extension A: Strongroom.Configuration {
                }
                """#,
            #"@Configuration cannot be applied to a generic type: it has no place for static columns"#,
            line: 2, column: 9)
    }
}
#endif

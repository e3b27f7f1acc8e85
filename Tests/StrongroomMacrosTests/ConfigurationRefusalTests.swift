import Testing

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

import Testing

@Suite("The expansion of @Configuration")
struct ConfigurationExpansionTests {
    private static let target = """

            public static var target: Swift.String {
                "addressbook"
            }
        """

    /// A target that is there stays.
    @Test(arguments: [
        ("public struct", "", target), ("final class", "\n    static let target = \"addressbook\"\n    init() {}", ""),
    ])
    func aTargetIsAddedIfThereIsNone(kind: String, members: String, added: String) {
        expectExpansion(
            "@Configuration(\"addressbook\")\n\(kind) AddressBook {\(members)\n}",
            """
            \(kind) AddressBook {\(members)\(added)

                #if objectFormat(MachO)
                @section("__DATA_CONST,strongroom_cfg")
                @used
                private static let strongroomConfigurationEntry: Strongroom._ConfigurationEntry.Writer = {
                    Strongroom._ConfigurationEntry.write({
                            AddressBook()
                        }, to: $0)
                }
                #elseif objectFormat(ELF)
                @section("strongroom_cfg")
                @used
                private static let strongroomConfigurationEntry: Strongroom._ConfigurationEntry.Writer = {
                    Strongroom._ConfigurationEntry.write({
                            AddressBook()
                        }, to: $0)
                }
                #endif
            }

            extension AddressBook: Strongroom.Configuration {
            }
            """)
    }
}

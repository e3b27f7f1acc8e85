import Testing

@Suite("The expansion of @Configuration")
struct ConfigurationExpansionTests {
    @Test func aConfigurationWithoutATarget() {
        expectExpansion(
            #"""
            @Configuration("addressbook")
            public struct AddressBook {
            }
            """#,
            #"""
            public struct AddressBook {

                public static var target: Swift.String {
                    "addressbook"
                }

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
            """#)
    }

    @Test func aTargetThatIsThereStays() {
        expectExpansion(
            #"""
            @Configuration("addressbook")
            final class AddressBook {
                static let target = "addressbook"
                init() {}
            }
            """#,
            #"""
            final class AddressBook {
                static let target = "addressbook"
                init() {}

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
            """#)
    }
}

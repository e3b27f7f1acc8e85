#if Macros
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
            @@aConfigurationWithoutATarget@@
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
            @@aTargetThatIsThereStays@@
            """#)
    }
}
#endif

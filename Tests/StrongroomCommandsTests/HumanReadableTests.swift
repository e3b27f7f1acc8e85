import StrongroomCommands
import Testing

struct HumanReadableTests {
    @Test(
        "Counts have a comma between each three digits",
        arguments: [
            (0, "0"), (7, "7"), (999, "999"), (1000, "1,000"), (60_123, "60,123"), (100_000, "100,000"),
            (1_234_567, "1,234,567"), (-999, "-999"), (-1000, "-1,000"), (.max, "9,223,372,036,854,775,807"),
            (.min, "-9,223,372,036,854,775,808"),
        ] as [(Int64, String)])
    func counts(number: Int64, text: String) {
        #expect(HumanReadable.count(number) == text)
    }

    @Test(
        "Bytes are in the largest unit of which there is one after rounding",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (12_897_485, "12.3 MiB"),
            (1_048_524, "1023.9 KiB"), (1_048_525, "1.0 MiB"), (1_048_576, "1.0 MiB"), (1 << 30, "1.0 GiB"),
            (5 << 40, "5.0 TiB"), (3 << 50, "3.0 PiB"), (-2048, "-2.0 KiB"), (.max, "8.0 EiB"), (.min, "-8.0 EiB"),
        ] as [(Int64, String)])
    func bytes(number: Int64, text: String) {
        #expect(HumanReadable.bytes(number) == text)
    }

    @Test("The largest unsigned number of bytes has a text")
    func unsignedBytes() {
        #expect(HumanReadable.bytes(UInt64.max) == "16.0 EiB")
    }

    @Test(
        "Durations have about three digits, and no unit overflows by rounding",
        arguments: [
            (.zero, "0 µs"), (.nanoseconds(499), "0 µs"), (.microseconds(850), "850 µs"),
            (.nanoseconds(999_499), "999 µs"), (.nanoseconds(999_500), "1 ms"), (.milliseconds(310), "310 ms"),
            (.microseconds(999_499), "999 ms"), (.microseconds(999_500), "1.00 s"), (.milliseconds(1240), "1.24 s"),
            (.milliseconds(1005), "1.01 s"), (.milliseconds(9994), "9.99 s"), (.milliseconds(9995), "10.0 s"),
            (.milliseconds(59_949), "59.9 s"), (.milliseconds(59_950), "1 min 00 s"), (.seconds(125), "2 min 05 s"),
            (.milliseconds(3_599_499), "59 min 59 s"), (.milliseconds(3_599_500), "1 h 00 min"),
            (.seconds(3720), "1 h 02 min"), (.seconds(86_369), "23 h 59 min"), (.seconds(86_370), "1 d 00 h"),
            (.seconds(273_600), "3 d 04 h"), (.seconds(86_400 * 1200), "1,200 d 00 h"), (.seconds(-2), "-2.00 s"),
        ] as [(Duration, String)])
    func durations(duration: Duration, text: String) {
        #expect(HumanReadable.duration(duration) == text)
    }

    @Test(
        "Estimates are in whole seconds",
        arguments: [
            (.milliseconds(499), "0 s"), (.milliseconds(500), "1 s"), (.milliseconds(4200), "4 s"),
            (.milliseconds(59_499), "59 s"), (.milliseconds(59_500), "1 min 00 s"), (.seconds(125), "2 min 05 s"),
            (.seconds(7380), "2 h 03 min"), (.seconds(-90), "-1 min 30 s"),
        ] as [(Duration, String)])
    func estimates(duration: Duration, text: String) {
        #expect(HumanReadable.wholeSeconds(duration) == text)
    }
}

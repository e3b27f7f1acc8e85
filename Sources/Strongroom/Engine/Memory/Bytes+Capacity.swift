extension [UInt8] {
    /// The bytes that `fill` writes.
    ///
    /// The standard library's initializer writes the count also into the empty array, which all threads share: the
    /// thread sanitizer reports that as a data race.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of bytes.
    ///   - fill: Writes into memory of this size, and says how many bytes it has written.
    package init(
        capacity: Int, fill: (_ buffer: inout UnsafeMutableBufferPointer<UInt8>, _ filled: inout Int) throws -> Void
    ) rethrows {
        guard capacity > 0 else {
            var (nowhere, filled) = (UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0), 0)
            // It may throw all the same.
            try fill(&nowhere, &filled)
            self = []
            return
        }
        try self.init(unsafeUninitializedCapacity: capacity, initializingWith: fill)
    }
}

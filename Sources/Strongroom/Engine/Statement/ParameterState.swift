import CSQLCipher

/// The state of a statement's parameters that is kept between executions.
///
/// Not a class, and accessed through a pointer that the statement owns: a class would add reference counting and
/// exclusivity checks to every value.
@usableFromInline
struct ParameterState: ~Copyable {
    /// The memory of bound text and bytes.
    private var arena = ParameterArena()

    /// The default values that an insert binds in place of NULL, by index; empty if no column has a default.
    var defaults: [Value] = []

    /// The parameters that may have a value, one bit each; the others of the first 64 are NULL in the engine. The bits
    /// past the last parameter are always set, so that the engine is called for them and returns an error.
    private var held: UInt64

    /// The parameters of ``held`` that were not set since the last reset.
    private var stale: UInt64 = 0

    private let behindLast: UInt64
    private let hasMore: Bool

    /// - Parameter count: The number of parameters.
    init(count: Int) {
        hasMore = count > UInt64.bitWidth
        behindLast = count < UInt64.bitWidth ? ~0 << UInt64(count) : 0
        held = behindLast
    }

    /// The default value that an insert binds in place of NULL, or nil.
    func defaultValue(at index: Int) -> Value? {
        guard defaults.indices.contains(index), defaults[index] != .null else { return nil }
        return defaults[index]
    }

    /// Copies a value to be bound; the copy is valid until the statement is reset.
    mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        arena.copy(bytes)
    }

    /// Records that a parameter is bound to a value.
    mutating func hold(_ index: Int) {
        guard let bit = Self.bit(index) else { return }
        held |= bit
        stale &= ~bit
    }

    /// Records that a parameter is bound to NULL.
    ///
    /// - Returns: False if it is NULL already, so that no call is needed.
    mutating func drop(_ index: Int) -> Bool {
        guard let bit = Self.bit(index) else { return true }
        guard held & bit != 0 else { return false }
        held = held & ~bit | behindLast
        stale &= ~bit
        return true
    }

    /// Whether a parameter may have a value that was set since the last reset.
    func mayHold(_ index: Int) -> Bool {
        guard let bit = Self.bit(index) else { return true }
        return held & ~stale & bit != 0
    }

    /// Binds NULL to the parameters that were not set, so that an omitted parameter does not keep the value of an
    /// earlier row.
    mutating func dropUnset(of statement: OpaquePointer) {
        while stale != 0 {
            let index = stale.trailingZeroBitCount
            sqlite3_bind_null(statement, Int32(index) + 1)
            _ = drop(index)
        }
    }

    /// Prepares the state for the next execution of a statement that has been reset.
    mutating func renew(for statement: OpaquePointer) {
        guard !hasMore, !arena.mustUnbind else { return clear(for: statement) }
        arena.reset()
        stale = held & ~behindLast
    }

    /// Binds NULL to all parameters of a statement that has been reset.
    mutating func clear(for statement: OpaquePointer) {
        sqlite3_clear_bindings(statement)
        held = behindLast
        stale = 0
        arena.reset()
    }

    @inline(__always)
    private static func bit(_ index: Int) -> UInt64? {
        UInt(bitPattern: index) < UInt64.bitWidth ? 1 << UInt64(index) : nil
    }
}

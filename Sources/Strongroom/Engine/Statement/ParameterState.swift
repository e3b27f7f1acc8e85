import CSQLCipher

/// What is kept of a statement's parameters from one execution to the next.
///
/// No class, and used through a pointer that the statement owns: a class would be counted and checked for exclusive
/// access with every value.
@usableFromInline
struct ParameterState: ~Copyable {
    /// Where bound text and bytes lie.
    private var arena = ParameterArena()

    /// What an insert binds in place of NULL, by place; empty where no column has a default.
    var defaults: [Value] = []

    /// The parameters that may hold a value, one bit each; the others of the first 64 are NULL in the engine. The bits
    /// of places behind the last parameter are always set, so that the engine is asked for them and refuses.
    private var held: UInt64

    /// Those of them that were not set since the statement was made ready.
    private var stale: UInt64 = 0

    private let behindLast: UInt64
    private let hasMore: Bool

    /// - Parameter count: The number of parameters.
    init(count: Int) {
        hasMore = count > UInt64.bitWidth
        behindLast = count < UInt64.bitWidth ? ~0 << UInt64(count) : 0
        held = behindLast
    }

    /// What an insert binds in place of NULL, or nil.
    func defaultValue(at index: Int) -> Value? {
        guard defaults.indices.contains(index), defaults[index] != .null else { return nil }
        return defaults[index]
    }

    /// Copies a value that is to be bound; the copy stays until the statement has been made ready.
    mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        arena.copy(bytes)
    }

    /// Notes that a parameter gets a value.
    mutating func hold(_ index: Int) {
        guard let bit = Self.bit(index) else { return }
        held |= bit
        stale &= ~bit
    }

    /// Notes that a parameter gets NULL.
    ///
    /// - Returns: False when it is NULL already, so that nothing need be bound.
    mutating func drop(_ index: Int) -> Bool {
        guard let bit = Self.bit(index) else { return true }
        guard held & bit != 0 else { return false }
        held = held & ~bit | behindLast
        stale &= ~bit
        return true
    }

    /// Whether a parameter may hold a value that was set since the statement was made ready.
    func mayHold(_ index: Int) -> Bool {
        guard let bit = Self.bit(index) else { return true }
        return held & ~stale & bit != 0
    }

    /// Binds NULL to the parameters that were not set, so that one that is forgotten never keeps the value of an
    /// earlier row.
    mutating func dropUnset(of statement: OpaquePointer) {
        while stale != 0 {
            let index = stale.trailingZeroBitCount
            sqlite3_bind_null(statement, Int32(index) + 1)
            _ = drop(index)
        }
    }

    /// Makes ready for the next execution of a statement that has been reset.
    mutating func renew(for statement: OpaquePointer) {
        if hasMore || arena.mustUnbind {
            sqlite3_clear_bindings(statement)
            held = behindLast
        }
        arena.reset()
        stale = held & ~behindLast
    }

    @inline(__always)
    private static func bit(_ index: Int) -> UInt64? {
        UInt(bitPattern: index) < UInt64.bitWidth ? 1 << UInt64(index) : nil
    }
}

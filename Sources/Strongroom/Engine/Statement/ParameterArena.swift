/// Memory for the text and bytes of one execution of a statement.
///
/// The engine is told that bound memory does not move (`SQLITE_STATIC`), so a block is never grown: a value that does
/// not fit gets a block of its own, and the next execution starts with one block that is large enough for all.
struct ParameterArena: ~Copyable {
    private static let smallest = 512
    private static let largestKept = 1 << 20

    private var block: UnsafeMutableRawPointer
    private var capacity: Int
    private var used = 0
    private var overflow: [(UnsafeMutableRawPointer, count: Int)] = []
    private var overflowBytes = 0

    init() {
        capacity = Self.smallest
        block = .allocate(byteCount: Self.smallest, alignment: 16)
    }

    deinit {
        Self.free(block, capacity)
        for (extra, count) in overflow { Self.free(extra, count) }
    }

    /// Rows have lain in it.
    private static func free(_ block: UnsafeMutableRawPointer, _ count: Int) {
        UnsafeMutableRawBufferPointer(start: block, count: count).wipe()
        block.deallocate()
    }

    /// Copies bytes in and returns where they stay until ``reset()``; never nil, also for no bytes.
    mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let place = take(bytes.count)
        if let source = bytes.baseAddress {
            place.copyMemory(from: source, byteCount: bytes.count)
        }
        return UnsafeRawPointer(place)
    }

    private mutating func take(_ count: Int) -> UnsafeMutableRawPointer {
        if used + count <= capacity {
            defer { used += count }
            return block + used
        }
        let extra = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 16)
        overflow.append((extra, count))
        overflowBytes += count
        return extra
    }

    /// Whether ``reset()`` would free memory that bound parameters still point to.
    var mustUnbind: Bool { !overflow.isEmpty }

    /// Makes all memory free for the next execution; the parameters must be unbound first where ``mustUnbind`` says so.
    mutating func reset() {
        if !overflow.isEmpty { grow() }
        used = 0
    }

    private mutating func grow() {
        for (extra, count) in overflow { Self.free(extra, count) }
        overflow.removeAll()
        let wanted = capacity + overflowBytes
        overflowBytes = 0
        guard wanted <= Self.largestKept else { return }
        Self.free(block, capacity)
        capacity = wanted
        block = .allocate(byteCount: wanted, alignment: 16)
    }
}

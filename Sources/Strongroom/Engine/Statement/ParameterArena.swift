/// Memory for the text and bytes of one execution of a statement.
///
/// Bound memory must not move (`SQLITE_STATIC`), so a block never grows: a value that does not fit is stored in a block
/// of its own, and the next execution starts with one block that is large enough for all values.
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

    /// Overwrites the memory, which contained values of rows, and frees it.
    private static func free(_ block: UnsafeMutableRawPointer, _ count: Int) {
        UnsafeMutableRawBufferPointer(start: block, count: count).wipe()
        block.deallocate()
    }

    /// Copies bytes and returns their address, which is valid until ``reset()``; never nil, even for no bytes.
    mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let address = allocate(bytes.count)
        if let source = bytes.baseAddress {
            address.copyMemory(from: source, byteCount: bytes.count)
        }
        return UnsafeRawPointer(address)
    }

    private mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer {
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

    /// Releases the memory for the next execution; if ``mustUnbind`` is true, the parameters must be unbound first.
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

import CSQLCipher

/// The parameters of a statement that is about to run, or a list that collects a record's values.
///
/// A record's ``Record/encode(to:)`` receives the bindings and sets the value of each column, by the column's index in
/// ``Record/columnNames``.
public struct Bindings: ~Copyable {
    // The statement is not retained: the caller that provides the bindings retains it until it has run.
    private let target: Target
    /// The parameter of index 0, and the number of parameters of the record.
    private let base: Int
    private let width: Int

    private enum Target {
        case statement(OpaquePointer, UnsafeMutablePointer<ParameterState>)
        case list(UnsafeMutablePointer<[SQLValue]>)
        /// The result of a function.
        case result(FunctionArguments)
    }

    @inline(__always)
    init(_ statement: OpaquePointer, _ parameters: UnsafeMutablePointer<ParameterState>, from base: Int, width: Int) {
        target = .statement(statement, parameters)
        self.base = base
        self.width = width
    }

    init(_ list: UnsafeMutablePointer<[SQLValue]>) {
        target = .list(list)
        base = 0
        width = .max
    }

    @usableFromInline
    init(_ function: FunctionArguments) {
        target = .result(function)
        base = 0
        width = 1
    }

    /// Sets one parameter.
    ///
    /// ```swift
    /// func encode(to bindings: borrowing Bindings) throws {
    ///     try bindings.set(id, at: 0)
    ///     try bindings.set(name, at: 1)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - index: The parameter, counted from 0.
    /// - Throws: ``StrongroomError`` with `valueNotStorable` for a value that the engine cannot store,
    ///   `invalidArgument` for an index out of range or a value that is too long.
    @inlinable
    public func set<V: ColumnValue>(_ value: V, at index: Int) throws {
        try value.bind(to: self, at: index)
    }

    @usableFromInline
    func bind(_ value: Int64, at index: Int) throws {
        switch target {
        case .statement(let statement, let parameters):
            try check(sqlite3_bind_int64(statement, hold(index, parameters), value))
        case .list, .result: try collect(.integer(value), at: index)
        }
    }

    @usableFromInline
    func bind(_ value: Double, at index: Int) throws {
        guard !value.isNaN else { throw Self.notANumber }
        switch target {
        case .statement(let statement, let parameters):
            try check(sqlite3_bind_double(statement, hold(index, parameters), value))
        case .list, .result: try collect(.real(value), at: index)
        }
    }

    /// Binds text, including any NUL characters.
    @usableFromInline
    func bind(_ value: String, at index: Int) throws {
        guard case .statement(let statement, let parameters) = target else {
            return try collect(.text(value), at: index)
        }
        try value.withCString { start in
            let bytes = UnsafeRawBufferPointer(start: start, count: value.utf8.count)
            let copy = parameters.pointee.copy(bytes).assumingMemoryBound(to: CChar.self)
            let count = try Self.length(bytes.count)
            try check(sqlite3_bind_text(statement, hold(index, parameters), copy, count, nil))
        }
    }

    @usableFromInline
    func bind(_ value: [UInt8], at index: Int) throws {
        try value.withUnsafeBytes { try bind(bytes: $0, at: index) }
    }

    /// Binds a copy of bytes in memory.
    @usableFromInline
    func bind(bytes: UnsafeRawBufferPointer, at index: Int) throws {
        guard case .statement(let statement, let parameters) = target else {
            return try collect(.blob([UInt8](bytes)), at: index)
        }
        let copy = parameters.pointee.copy(bytes)
        let count = try Self.length(bytes.count)
        try check(sqlite3_bind_blob(statement, hold(index, parameters), copy, count, nil))
    }

    /// Binds NULL; an insert binds the column's default value if there is one.
    @usableFromInline
    func bindNull(at index: Int) throws {
        guard case .statement(let statement, let parameters) = target else {
            return try collect(.null, at: index)
        }
        let parameter = parameter(index)
        if let value = parameters.pointee.defaultValue(at: index) {
            try bind(value, at: index)
        } else if parameters.pointee.drop(parameter) {
            try check(sqlite3_bind_null(statement, Int32(clamping: parameter) &+ 1))
        }
    }

    @usableFromInline
    func bind(_ value: SQLValue, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let value): try bind(value, at: index)
        case .real(let value): try bind(value, at: index)
        case .text(let value): try bind(value, at: index)
        case .blob(let value): try bind(value, at: index)
        }
    }

    /// Binds text from the engine, whose bytes need not be valid in its encoding; only to a statement.
    func bind(_ text: EncodedText, at index: Int) throws {
        guard case .statement(let statement, let parameters) = target else { throw Self.noStatement }
        let encoding =
            switch text.encoding {
            case .utf8: SQLITE_UTF8
            case .utf16Little: SQLITE_UTF16LE
            case .utf16Big: SQLITE_UTF16BE
            }
        try text.bytes.withUnsafeBytes { bytes in
            let copy = parameters.pointee.copy(bytes).assumingMemoryBound(to: CChar.self)
            try check(
                sqlite3_bind_text64(
                    statement, hold(index, parameters), copy, UInt64(bytes.count), nil, UInt8(encoding)))
        }
    }

    private static var noStatement: StrongroomError { StrongroomError(.engine, "No statement.") }

    static var notANumber: StrongroomError {
        StrongroomError(
            .valueNotStorable,
            "NaN cannot be stored: the engine would store NULL. Use an optional and store nil."
        )
    }

    /// The parameter, counted from 0; for an index outside the record's, a number that no statement has.
    @inline(__always)
    private func parameter(_ index: Int) -> Int {
        UInt(bitPattern: index) < UInt(bitPattern: width) ? base &+ index : -1
    }

    /// Records that a parameter gets a value. Every call of the engine that binds one gets its parameter from here:
    /// otherwise a later NULL would not be bound.
    ///
    /// - Returns: The parameter, counted from 1.
    @inline(__always)
    private func hold(_ index: Int, _ parameters: UnsafeMutablePointer<ParameterState>) -> Int32 {
        let parameter = parameter(index)
        parameters.pointee.hold(parameter)
        return Int32(clamping: parameter) &+ 1
    }

    private func collect(_ value: SQLValue, at index: Int) throws {
        if case .result(let function) = target { return try function.setResult(value) }
        guard case .list(let list) = target else { return }
        guard list.pointee.indices.contains(index) else {
            throw StrongroomError(
                .invalidArgument,
                "The record has \(list.pointee.count.counting("column")); an index past them was set: check its list.")
        }
        list.pointee[index] = value
    }

    @inline(__always)
    private static func length(_ count: Int) throws -> Int32 {
        guard let length = Int32(exactly: count) else {
            throw StrongroomError(.limit, "A value of \(count) bytes is too long for the engine; split it.")
        }
        return length
    }

    @inline(__always)
    private func check(_ result: Int32) throws {
        if result != SQLITE_OK { throw failure(result) }
    }

    private func failure(_ result: Int32) -> StrongroomError {
        guard case .statement(let statement, _) = target else { return Self.noStatement }
        let code = ResultCode(extended: result)
        let count = sqlite3_bind_parameter_count(statement)
        let message =
            result == SQLITE_RANGE
            ? "The statement has \(count.counting("parameter")); an index past the last was set."
            : "A value could not be bound. \(StrongroomError.Code(code).advice)"
        return StrongroomError(
            StrongroomError.Code(code),
            message,
            sql: sqlite3_sql(statement).map { String(cString: $0) },
            resultCode: code
        )
    }
}

/// The state of a statement's parameters between executions.
///
/// Not a class, and accessed through a pointer that the statement owns: a class would add reference counting and
/// exclusivity checks to every value.
@usableFromInline
struct ParameterState: ~Copyable {
    /// The default values that an insert binds instead of NULL, by index; empty if no column has a default.
    var defaults: [SQLValue] = []

    /// The parameters that may have a value, one bit each; the others of the first 64 are NULL in the engine. The bits
    /// past the last parameter are always set, so that the engine is called for them and returns an error.
    private var held: UInt64

    /// The parameters of ``held`` that were not set since the last reset.
    private var stale: UInt64 = 0

    private let behindLast: UInt64
    private let hasMore: Bool

    private static let smallestBlock = 512
    private static let largestReused = 1 << 20

    // Bound memory must not move (`SQLITE_STATIC`), so a block never grows: a text or bytes that do not fit are stored
    // in a block of their own, and the next execution starts with one block that is large enough for all of them.
    private var block = UnsafeMutableRawPointer.allocate(byteCount: Self.smallestBlock, alignment: 16)
    private var capacity = Self.smallestBlock
    private var used = 0
    private var overflow: [(UnsafeMutableRawPointer, count: Int)] = []
    private var overflowBytes = 0

    init(count: Int) {
        hasMore = count > UInt64.bitWidth
        behindLast = count < UInt64.bitWidth ? ~0 << UInt64(count) : 0
        held = behindLast
    }

    deinit {
        Self.free(block, capacity)
        for (extra, count) in overflow { Self.free(extra, count) }
    }

    func defaultValue(at index: Int) -> SQLValue? {
        guard defaults.indices.contains(index), defaults[index] != .null else { return nil }
        return defaults[index]
    }

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
        // Parameters of the blocks that are freed would still point to them.
        guard !hasMore, overflow.isEmpty else { return clear(for: statement) }
        used = 0
        stale = held & ~behindLast
    }

    /// Binds NULL to all parameters of a statement that has been reset.
    mutating func clear(for statement: OpaquePointer) {
        sqlite3_clear_bindings(statement)
        held = behindLast
        stale = 0
        if !overflow.isEmpty { grow() }
        used = 0
    }

    @inline(__always)
    private static func bit(_ index: Int) -> UInt64? {
        UInt(bitPattern: index) < UInt64.bitWidth ? 1 << UInt64(index) : nil
    }

    // MARK: Memory

    /// Copies bytes to be bound; the copy is valid until the statement is reset. Never nil, even for no bytes.
    mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let address = allocate(bytes.count)
        if let source = bytes.baseAddress { address.copyMemory(from: source, byteCount: bytes.count) }
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

    private mutating func grow() {
        for (extra, count) in overflow { Self.free(extra, count) }
        overflow.removeAll()
        let wanted = capacity + overflowBytes
        overflowBytes = 0
        guard wanted <= Self.largestReused else { return }
        Self.free(block, capacity)
        capacity = wanted
        block = .allocate(byteCount: wanted, alignment: 16)
    }

    /// Overwrites the memory, which contained values of rows, and frees it.
    private static func free(_ block: UnsafeMutableRawPointer, _ count: Int) {
        UnsafeMutableRawBufferPointer(start: block, count: count).wipe()
        block.deallocate()
    }
}

/// The content of a column where the engine has it, without a copy.
package enum StoredContent {
    case null
    case integer(Int64)
    case real(Double)
    /// In the encoding that the engine converts texts to, UTF-8, which is not validated.
    case text(UnsafeBufferPointer<UInt8>)
    case blob
}

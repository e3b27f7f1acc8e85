#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Substring: TextColumnValue {}
extension URL: TextColumnValue {}

/// Why a value could not be decoded, without the value: the decoder's own description may contain it.
enum DecodingReason {
    /// The part that does not fit, by its declared names, and what is wrong with it.
    ///
    /// - Parameter form: The form of the value, such as "JSON".
    static func text(_ error: any Error, form: String) -> String? {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
        case .valueNotFound(let type, let context): "\(path(context.codingPath)) is null, not \(name(type))"
        case .typeMismatch(let type, let context): "\(path(context.codingPath)) is not \(name(type))"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "it is no \(form), or no value of the type" : "\(path(context.codingPath)) is no value of its type"
        default: nil
        }
    }

    /// Only names that the program declares, as cases of an enumeration: the keys of a dictionary are values.
    private static func path(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "the whole" }
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                let isDeclared = Mirror(reflecting: key).displayStyle == .enum
                path += (path.isEmpty ? "" : ".") + (isDeclared ? key.stringValue : "…")
            }
        }
        return "\"\(path)\""
    }

    /// The decoder's own name for objects is a type of its own.
    private static func name(_ type: any Any.Type) -> String {
        let name = "\(type)"
        return name.hasPrefix("Dictionary<") ? "an object" : name.hasPrefix("Array<") ? "a list" : name
    }
}

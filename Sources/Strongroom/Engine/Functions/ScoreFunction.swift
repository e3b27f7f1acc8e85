import CSQLCipher
import Foundation

/// The function `strongroom_score(matchinfo, parameters, sizes)`, which ranks the rows of an FTS4 index as FTS5's
/// `bm25` ranks those of an FTS5 index.
///
/// The first argument is the result of `matchinfo(…, 'pcy')`; see "FTS3 and FTS4 Extensions", section 4.3
/// (sqlite.org/fts3.html). The second one is made by ``parameters(averageLength:weights:importances:)``. The third one
/// is the row's value in `…_docsize`: `matchinfo(…, 'l')` would read it without a check. The formula is
/// that of "FTS5 Extension", section 5.1.1 (sqlite.org/fts5.html), with a positive result.
enum ScoreFunction {
    static let name = "strongroom_score"

    /// What does not depend on the row.
    ///
    /// - Parameters:
    ///   - averageLength: The average number of words of a row.
    ///   - weights: The weight of each column.
    ///   - importances: The importance of each phrase, which is higher for rare ones; see ``importance(of:among:)``.
    static func parameters(averageLength: Double, weights: [Double], importances: [Double]) -> Value {
        let numbers = [averageLength] + weights + importances
        return .blob(numbers.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { [UInt8]($0) } })
    }

    /// The importance of a phrase, as FTS5 computes it.
    static func importance(of rows: Int, among all: Int) -> Double {
        let importance = log((Double(all - rows) + 0.5) / (Double(rows) + 0.5))
        return importance > 0 ? importance : 1e-6
    }

    /// Registers the function.
    static func install(_ calls: FunctionCalls, on connection: OpaquePointer) -> Int32 {
        StandardFunction.install(name, arguments: 3, calls, on: connection) { context, count, values in
            StandardFunction.run(context, count, values) { context, values, _, _ in
                guard let info = ScoreFunction.bytes(values[0]), let parameters = ScoreFunction.bytes(values[1]) else {
                    return sqlite3_result_null(context)
                }
                guard
                    let score = ScoreFunction.score(
                        Info(bytes: info), Parameters(bytes: parameters), ScoreFunction.bytes(values[2]))
                else { throw FullTextNumbers.damage }
                sqlite3_result_double(context, score)
            }
        }
    }

    /// The numbers of `matchinfo`, which are read where the engine has them: a search calls the function for each row.
    private struct Info {
        let bytes: UnsafeRawBufferPointer

        var count: Int { bytes.count / 4 }

        subscript(index: Int) -> Int { Int(bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)) }
    }

    private struct Parameters {
        let bytes: UnsafeRawBufferPointer

        var count: Int { bytes.count / 8 }

        subscript(index: Int) -> Double {
            let pattern = bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
            return Double(bitPattern: UInt64(littleEndian: pattern))
        }
    }

    /// - Returns: Nil if the arguments do not fit.
    private static func score(
        _ info: Info, _ parameters: Parameters, _ sizes: UnsafeRawBufferPointer?
    ) -> Double? {
        guard info.count >= 2 else { return nil }
        let (phrases, columns) = (info[0], info[1])
        guard phrases < info.count, columns < info.count, info.count == 2 + phrases * columns,
            parameters.count == 1 + columns + phrases, let sizes
        else { return nil }
        var (length, count) = (0, 0)
        let areNumbers = FullTextNumbers.forEach(in: sizes) { size in
            length += size
            count += 1
        }
        guard areNumbers, count == columns else { return nil }
        let relative = 1 - 0.75 + 0.75 * Double(length) / parameters[0]
        var score = 0.0
        for phrase in 0..<phrases {
            var frequency = 0.0
            for column in 0..<columns {
                let hits = info[2 + phrase * columns + column]
                frequency += parameters[1 + column] * Double(hits)
            }
            score += parameters[1 + columns + phrase] * (frequency * 2.2) / (frequency + 1.2 * relative)
        }
        return score
    }

    private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
        guard let start = sqlite3_value_blob(value) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}

import Foundation

/// The descriptions of Debian's packages, from the lists that apt has on this machine.
enum PackageDescriptions {
    private static let program = "/usr/bin/apt-cache"

    /// One for each package; empty if there is no apt, or if its lists are too short to be of use. A package whose
    /// long description is not in the lists has the summaries of the next packages in its place.
    static func documents() -> [TestDocument] {
        let packages = packages()
        guard packages.count >= 10_000 else { return [] }
        return packages.indices.map { index in
            let package = packages[index]
            let next = (1...6).map { packages[(index + $0) % packages.count].summary }
            return TestDocument(
                title: "\(package.name) \(package.summary)",
                body: package.text.isEmpty ? next.joined(separator: "\n") : package.text)
        }
    }

    private struct Package {
        let name: String
        var summary = ""
        var text = ""
    }

    private static func packages() -> [Package] {
        var packages: [Package] = []
        var isDescription = false
        for line in lines() where line.utf8.allSatisfy({ $0 < 0x80 }) {
            if line.hasPrefix("Package: ") {
                let name = String(line.dropFirst(9))
                if packages.last?.summary == "" { packages.removeLast() }
                packages.append(Package(name: name))
            } else if line.hasPrefix("Description: ") || line.hasPrefix("Description-en: ") {
                isDescription = true
                packages[packages.count - 1].summary = String(line.drop { $0 != " " }.dropFirst())
                continue
            } else if line.hasPrefix(" "), isDescription {
                packages[packages.count - 1].text += "\(line.dropFirst())\n"
                continue
            }
            isDescription = false
        }
        return packages
    }

    private static func lines() -> [Substring] {
        guard FileManager.default.isExecutableFile(atPath: program) else { return [] }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: program)
        process.arguments = ["dumpavail"]
        process.standardOutput = output
        guard (try? process.run()) != nil, let data = try? output.fileHandleForReading.readToEnd() else { return [] }
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }
}

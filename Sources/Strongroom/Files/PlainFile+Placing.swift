/// Moving a new file to its destination.
extension PlainFile {
    /// Throws unless a name refers to this file and is not a symbolic link.
    ///
    /// - Throws: ``StrongroomError`` with `fileChanged`.
    func requireName(_ name: String) throws {
        guard try FileStatus.ofName(name)?.identity == status().identity else { throw swapped(name) }
    }

    /// Throws unless the engine has opened this file, and not another one that has taken its name since. The file is
    /// empty before and after the check.
    ///
    /// A random mark is written through the descriptor and read through the engine's own handle. Comparing names would
    /// prove nothing, since a name may be changed and changed back.
    ///
    /// - Parameters:
    ///   - connection: A connection that has opened the file by its name and has written nothing yet.
    ///   - schema: `main`, or the name under which the file is attached.
    /// - Throws: ``StrongroomError`` with `fileChanged`; `diskFull`, `inputOutput`.
    func requireOpened(by connection: Connection, as schema: String = "main") throws {
        let engine = try connection.databaseFile(of: schema)
        let mark = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        try write(mark, at: 0)
        let found = try engine.bytes(at: 0, mark.count)
        try truncate(to: 0)
        guard found == mark, try engine.size() == 0 else { throw swapped(path) }
        try requireName(path)
    }

    /// Moves the file to a destination that does not exist; see ``FileSystem/moveIntoPlace(_:_:)``.
    ///
    /// - Throws: ``StrongroomError`` with `fileChanged` if another program has replaced the file.
    func moveIntoPlace(_ destination: String) throws {
        try requireName(path)
        try FileSystem.moveIntoPlace(path, destination)
        try requireName(destination)
    }

    /// Replaces another file by this one.
    ///
    /// - Throws: As ``moveIntoPlace(_:)``.
    func replace(_ destination: String) throws {
        try requireName(path)
        try FileSystem.replace(destination, with: path)
        try requireName(destination)
    }

    private func swapped(_ name: String) -> StrongroomError {
        StrongroomError(
            .fileChanged,
            """
            Another program has placed a file or a link at "\(name)" while Strongroom was creating the file there. \
            Nothing was written to it. Check which users may write to the directory; it should be the owner only. \
            Then try again.
            """)
    }
}

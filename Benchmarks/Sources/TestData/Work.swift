/// What a rival in a process of its own can be asked for: a line of the work's name and a file's path.
public enum Work: String, Sendable {
    case insert, fetch, point, update, upsert
}

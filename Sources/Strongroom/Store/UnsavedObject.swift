/// An object that saves itself, and has changes that wait for it.
protocol UnsavedObject: AnyObject, Sendable {
    /// Puts the changes into the writer's line, if there are any; runs neither the user's code nor the engine.
    func queueChanges()
}

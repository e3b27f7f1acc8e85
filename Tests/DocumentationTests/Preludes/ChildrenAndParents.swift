var books: [Book] {
    get { given() }
    set {}
}

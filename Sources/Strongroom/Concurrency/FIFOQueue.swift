/// A first-in, first-out queue from which any element can be removed.
struct FIFOQueue<Element> {
    private var places: [Element?] = []
    /// The index of the first element; the slots before it are empty.
    private var head = 0
    /// The number of empty slots after it.
    private var gone = 0

    /// The number of slots, with those of removed elements.
    var space: Int { places.count }

    private static var spaceKept: Int { 1_000 }

    /// The first element.
    var first: Element? { head < places.count ? places[head] : nil }

    /// Whether the queue has no elements.
    var isEmpty: Bool { head == places.count }

    /// Adds an element at the end.
    mutating func append(_ element: Element) {
        places.append(element)
    }

    /// Removes the first element.
    mutating func popFirst() -> Element? {
        guard head < places.count, let first = places[head].take() else { return nil }
        head += 1
        skipTheGone()
        return first
    }

    /// Removes the first element that matches, or returns nil if there is none.
    mutating func remove(where isTheOne: (Element) -> Bool) -> Element? {
        guard let place = places[head...].firstIndex(where: { $0.map(isTheOne) ?? false }) else { return nil }
        let found = places[place].take()
        gone += 1
        skipTheGone()
        return found
    }

    private mutating func skipTheGone() {
        while head < places.count, places[head] == nil {
            head += 1
            gone -= 1
        }
        if gone > Self.spaceKept, gone > places.count / 2 {
            places = places[head...].filter { $0 != nil }
            (head, gone) = (0, 0)
        }
        guard head == places.count || head > Self.spaceKept else { return }
        places.removeFirst(head)
        head = 0
    }
}

/// Those who wait, first come, first served.
struct FIFOQueue<Element> {
    private var places: [Element?] = []
    /// The place of the first who waits; those before it have gone.
    private var head = 0
    /// How many behind it have gone.
    private var gone = 0

    /// How many places it has, with those of who has gone.
    var space: Int { places.count }

    private static var spaceKept: Int { 1_000 }

    /// The first who waits.
    var first: Element? { head < places.count ? places[head] : nil }

    /// Whether nobody waits.
    var isEmpty: Bool { head == places.count }

    /// Puts one at the end.
    mutating func append(_ element: Element) {
        places.append(element)
    }

    /// Takes the first one out.
    mutating func popFirst() -> Element? {
        guard head < places.count, let first = places[head].take() else { return nil }
        head += 1
        skipTheGone()
        return first
    }

    /// Takes one out of the middle, or returns nil when they are not there.
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

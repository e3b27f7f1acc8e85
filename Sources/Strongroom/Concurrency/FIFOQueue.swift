/// A first-in, first-out queue from which any element can be removed.
struct FIFOQueue<Element> {
    private var slots: [Element?] = []
    /// The index of the first element; the slots before it are empty.
    private var head = 0
    /// The number of empty slots after it.
    private var emptyCount = 0

    /// The number of slots, with those of removed elements.
    var capacity: Int { slots.count }

    private static var maxEmptySlots: Int { 1_000 }

    var first: Element? { head < slots.count ? slots[head] : nil }

    var isEmpty: Bool { head == slots.count }

    mutating func append(_ element: Element) { slots.append(element) }

    /// Inserts an element into a sorted queue, after those that are equal to it.
    mutating func insert(_ element: Element, _ comesBefore: (Element, Element) -> Bool) {
        let last = slots[head...].lastIndex { $0.map { !comesBefore(element, $0) } ?? false }
        slots.insert(element, at: last.map { $0 + 1 } ?? head)
    }

    mutating func popFirst() -> Element? {
        guard head < slots.count, let first = slots[head].take() else { return nil }
        head += 1
        skipEmptySlots()
        return first
    }

    /// Removes the first element that matches, or returns nil if there is none.
    mutating func remove(where matches: (Element) -> Bool) -> Element? {
        guard let index = slots[head...].firstIndex(where: { $0.map(matches) ?? false }) else { return nil }
        let found = slots[index].take()
        emptyCount += 1
        skipEmptySlots()
        return found
    }

    private mutating func skipEmptySlots() {
        while head < slots.count, slots[head] == nil {
            head += 1
            emptyCount -= 1
        }
        if emptyCount > Self.maxEmptySlots, emptyCount > slots.count / 2 {
            slots = slots[head...].filter { $0 != nil }
            (head, emptyCount) = (0, 0)
        }
        guard head == slots.count || head > Self.maxEmptySlots else { return }
        slots.removeFirst(head)
        head = 0
    }
}

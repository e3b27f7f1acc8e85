#if canImport(Darwin)
import Darwin
#endif

/// How soon something runs that has no thread yet: what is more urgent comes first, and among what is as urgent, what
/// came first.
enum Urgency: Int, CaseIterable {
    case high, medium, low

    init(_ priority: TaskPriority) {
        // Nothing is what a task of no priority has.
        self = priority >= .high ? .high : priority.rawValue == 0 || priority >= .medium ? .medium : .low
    }

    /// Lets the system treat the running thread as it treats a task of that priority; only Apple's systems tell threads
    /// apart in this way.
    func adopt() {
        #if canImport(Darwin)
        let service: qos_class_t =
            switch self {
            case .high: QOS_CLASS_USER_INITIATED
            case .medium: QOS_CLASS_DEFAULT
            case .low: QOS_CLASS_UTILITY
            }
        pthread_set_qos_class_self_np(service, 0)
        #endif
    }
}

/// Those who wait, the urgent ones first.
struct UrgentLine<Element> {
    private var lines = Urgency.allCases.map { _ in FIFOQueue<Element>() }

    mutating func append(_ element: Element, _ urgency: Urgency) {
        lines[urgency.rawValue].append(element)
    }

    mutating func popFirst() -> (Element, Urgency)? {
        for urgency in Urgency.allCases {
            if let first = lines[urgency.rawValue].popFirst() { return (first, urgency) }
        }
        return nil
    }
}

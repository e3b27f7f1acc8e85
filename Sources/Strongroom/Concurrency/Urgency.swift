#if canImport(Darwin)
import Darwin
#endif

/// The order in which waiting work gets a thread: more urgent work first, and FIFO among equally urgent work.
enum Urgency: Int, CaseIterable {
    case high, medium, low

    init(_ priority: TaskPriority) {
        // A task without a priority has the raw value 0.
        self = priority >= .high ? .high : priority.rawValue == 0 || priority >= .medium ? .medium : .low
    }

    /// Gives the running thread the quality of service of such a task; only Apple's systems have one.
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

/// A queue of waiting work, the urgent work first.
struct UrgencyQueue<Element> {
    private var queues = Urgency.allCases.map { _ in FIFOQueue<Element>() }

    mutating func append(_ element: Element, _ urgency: Urgency) {
        queues[urgency.rawValue].append(element)
    }

    mutating func popFirst() -> (Element, Urgency)? {
        for urgency in Urgency.allCases {
            if let first = queues[urgency.rawValue].popFirst() { return (first, urgency) }
        }
        return nil
    }
}

extension Duration {
    /// Milliseconds, without a fraction.
    package var milliseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000) }

    /// Milliseconds with three decimal places, for display.
    var fineMilliseconds: Double { ((self / .microseconds(1)).rounded()) / 1_000 }
}

/// A type whose equal values can have different stored forms, so that the engine cannot compare them.
protocol CodedColumnValue {}

/// A type whose equal values can be stored in different forms, so that the engine cannot compare them.
protocol CodedColumnValue {}

//! Spans of time. A range of keys is a [`Range`](crate::store::Range).

/// A span of time or of days, from its start to before its end.
pub type Span<T> = std::ops::Range<T>;

/// Takes what happens in a simulation, in the order in which it happens.
///
/// Times never go back. A run begins with `begin`, whose value says what is simulated
/// and whose detail is the command that does it again, and ends with `end`, whose
/// detail is the verdict. Of a message, `send`, `lose`, `duplicate` and `corrupt` name
/// the sender as the replica and the receiver as its peer; `receive` does it the other
/// way round. A `partition` lasts until the next `heal` of the same replica and peer,
/// or of none.
typealias TraceSink = (TraceEvent) -> Void

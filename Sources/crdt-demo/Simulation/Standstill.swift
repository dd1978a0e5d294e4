/// A process that is stopped, as its coordinator sees it.
struct Standstill {
  /// The round in which it goes on.
  var end: Int
  /// What it had said before it was stopped, to be heard when it goes on: whether it
  /// came to say it is up to real time, and nothing may depend on that.
  var replies: [Reply] = []
}

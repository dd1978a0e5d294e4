/// What a trace tells of a message when it arrives.
struct TracedMessage {
  var number: Int
  var bytes: Int
  var events: Int
}

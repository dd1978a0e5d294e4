/// A disk on which the system can't make sense of a file that the store needs.
struct UnreadableDisk: Error {
  var message: String
}

/// A command line that can't be understood: status 64.
struct UsageError: Error, Equatable {
  /// What is wrong with it.
  var message: String

  init(_ message: String) {
    self.message = message
  }
}

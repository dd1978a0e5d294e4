/// A promise of the store that was seen broken.
struct BrokenPromise: Error {
  var message: String

  init(_ message: String) {
    self.message = message
  }
}

/// A system call that failed, and why.
public struct SystemError: Error, Hashable, Sendable {
  /// The name of the call.
  public var call: String
  /// The number that the system gives the error: `errno`.
  public var code: Int32

  /// Creates the error of a call.
  public init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
  }
}

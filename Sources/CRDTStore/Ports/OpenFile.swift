/// A file or folder that is open: what the system calls a descriptor.
public struct OpenFile: Hashable, Sendable {
  /// The number that the file system gave it.
  public let descriptor: Int32

  /// Creates the name of an open file from its number.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
  }
}

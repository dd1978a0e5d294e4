internal import Synchronization

/// A file or folder that is open: what the system calls a descriptor.
///
/// Copies are the same open file, which is closed once.
public struct OpenFile: Hashable, Sendable {
  /// The number that the file system gave it.
  public let descriptor: Int32
  private let life = Life()

  /// What copies share.
  private final class Life: Sendable {
    let isOver = Atomic(false)
  }

  /// Creates the name of an open file from its number.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Notes that the file is closed now: its number may be another file's from here on.
  ///
  /// - Precondition: It wasn't closed before, nor was a copy.
  func end() {
    precondition(
      !life.isOver.exchange(true, ordering: .relaxed), "file \(descriptor) was closed before")
  }

  /// Whether two have the same number.
  public static func == (left: OpenFile, right: OpenFile) -> Bool {
    left.descriptor == right.descriptor
  }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(descriptor)
  }
}

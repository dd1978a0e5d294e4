/// What a file system says of which file an open one is.
///
/// A file keeps its number for as long as it is there, under whatever name; the number of a
/// removed file may be given to a new one. The time of the last change tells the two apart.
/// No program can set that time: the system sets it when the file is made, and at every change
/// of its bytes, size, name, number of names, owner or permissions, also where the same bytes
/// are written again.
public struct FileIdentity: Hashable, Sendable {
  /// The number of the file's inode.
  public var number: UInt64
  /// The seconds of the time of the last change, since 1970.
  public var changeSeconds: Int64
  /// The rest of that time, in nanoseconds.
  public var changeNanoseconds: Int64

  /// Creates the identity of a file from what the system says of it.
  public init(number: UInt64, changeSeconds: Int64, changeNanoseconds: Int64) {
    self.number = number
    self.changeSeconds = changeSeconds
    self.changeNanoseconds = changeNanoseconds
  }
}

/// What a file is opened for.
public enum FileUse: Hashable, Sendable {
  /// To open files in it: it is a folder.
  case folder
  /// To read a file that is there.
  case reading
  /// To read and write a file that is there.
  case writing
  /// To write a file that must not be there yet, for its owner only (0600).
  case creating
  /// To lock a file, which is made where there is none, for its owner only (0600).
  case locking
}

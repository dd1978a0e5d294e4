/// What a power cut does to the changes of a file that are not safe.
enum FileChoice: Hashable, Sendable {
  case nothing
  case everything
  /// So many, in their order.
  case first(Int)
  /// All but one.
  case without(Int)
  /// The last one is a write of which only so many bytes were made; the size may be
  /// there already.
  case torn(Int, isExtended: Bool)
  /// The last one is a write of which only the bytes from there on were made.
  case tail(Int)
  /// All sizes, but no bytes.
  case sizes
  case random(UInt64)
}

/// What a power cut does to the names that are not safe.
enum NameChoice: Hashable, Sendable {
  case nothing
  case everything
  case first(Int)
  case without(Int)
  /// All but the removal of the old name in a rename.
  case linked(Int)
  case random(UInt64)
}

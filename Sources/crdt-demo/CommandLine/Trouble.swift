/// Something that stopped the work, a file, a pipe or a child: status 2.
struct Trouble: Error, Equatable, CustomStringConvertible {
  /// What happened, and to what.
  var description: String

  init(_ description: String) {
    self.description = description
  }
}

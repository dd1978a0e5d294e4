/// An image that a crash may leave, and how it came about.
package struct CrashImage: Sendable, CustomStringConvertible {
  package let image: DiskImage
  let names: NameChoice
  let files: [(node: Int, name: String, choice: FileChoice)]

  package var description: String {
    "of the pending names: \(names)"
      + files.map { "; of the pending changes to \($0.name): \($0.choice)" }.joined()
  }
}

/// A change of a file's bytes or size.
enum FileChange: Sendable {
  case write(offset: Int, bytes: [UInt8])
  case truncate(size: Int)
}

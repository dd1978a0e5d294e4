/// Bytes that come in pieces, cut into lines.
struct ServerLines {
  /// How long a line may be: far more than a hundred operations take.
  static let lengthMax = 16 << 20

  private var bytes: [UInt8] = []
  /// Where the next line begins.
  private var start = 0
  /// Up to where its end has been looked for.
  private var searched = 0

  /// The next whole line without its end; `nil` if there is none yet.
  mutating func next() throws(Trouble) -> [UInt8]? {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      bytes.removeFirst(start)
      (start, searched) = (0, bytes.count)
      guard bytes.count <= Self.lengthMax else {
        throw Trouble("a line has more than \(Self.lengthMax) bytes")
      }
      return nil
    }
    let line = Array(bytes[start..<end])
    (start, searched) = (end + 1, end + 1)
    return line
  }

  /// Takes in what `read` puts onto the end.
  mutating func append<Result>(
    _ read: (inout [UInt8]) throws(Syscalls.Failure) -> Result
  ) throws(Syscalls.Failure) -> Result {
    try read(&bytes)
  }
}

/// The names of a blob store's files: fixed, or made of a digest and a size.
enum BlobNames {
  static let lock = "LOCK"
  static let recent = "RECENT"

  /// What is noted of a blob by an empty file beside it.
  enum Mark: String, CaseIterable {
    case pinned
    case unsent
    /// Of an upload, none of which is sent otherwise.
    case sent
  }

  static func blob(_ id: BlobID, size: Int) -> String { "\(id.text)-\(size)" }

  static func mark(_ mark: Mark, of id: BlobID) -> String { "\(id.text).\(mark.rawValue)" }

  /// What a name is the name of; `nil` if it isn't one of ours.
  static func parse(_ name: String) -> Part? {
    guard let id = BlobID(String(name.prefix(64))) else { return nil }
    let rest = name.dropFirst(64)
    let finished = rest.dropLast(FileNames.unfinished.count)
    if rest.hasSuffix(FileNames.unfinished), size(finished) != nil { return .unfinished }
    if let size = size(rest) { return .blob(id, size: size) }
    guard rest.hasPrefix("."), let mark = Mark(rawValue: String(rest.dropFirst())) else {
      return nil
    }
    return .mark(mark, id)
  }

  enum Part {
    case blob(BlobID, size: Int)
    case mark(Mark, BlobID)
    case unfinished
  }

  /// No blob is larger, so that sizes can be added up whatever names there are, and nobody
  /// makes room for what there can't be.
  static let sizeMax = 1 << 32

  private static func size(_ text: Substring) -> Int? {
    let size = Int(text.dropFirst())
    return size.flatMap { (0...sizeMax).contains($0) && "-\($0)" == text ? $0 : nil }
  }
}

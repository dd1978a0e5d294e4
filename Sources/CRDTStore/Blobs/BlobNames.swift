import CRDTKit

/// The names of a blob store's files: fixed, or made of a digest and a size.
enum BlobNames {
  static let lock = "LOCK"
  static let recent = "RECENT"
  /// What the names of a sealed store's files are made with.
  static let secret = "NAMES"
  private static let sealedSuffix = ".sealed"
  private static let markSuffix = ".mark"

  /// What is noted of a blob by an empty file beside it.
  enum Mark: String, CaseIterable {
    case pinned
    case unsent
    /// Of an upload, none of which is sent otherwise.
    case sent
  }

  /// The name of a blob's file; with a secret, that of a sealed one, which says nothing of
  /// the blob but its size.
  static func blob(_ key: BlobCore.Key, size: Int, _ secret: BlobSecret?) -> String {
    guard let secret else { return "\(key.id.text)-\(size)" }
    return "\(digest(of: key, nil, secret))-\(size)\(sealedSuffix)"
  }

  /// The name of a mark; with a secret nobody else can make it, or tell whose it is.
  static func mark(_ mark: Mark, of key: BlobCore.Key, _ secret: BlobSecret?) -> String {
    guard let secret else { return "\(key.id.text).\(mark.rawValue)" }
    return digest(of: key, mark, secret) + markSuffix
  }

  /// The digits that the name of a sealed blob begins with.
  static func digest(of key: BlobCore.Key, _ mark: Mark?, _ secret: BlobSecret) -> String {
    let text = "\(key.blobClass.rawValue)/\(key.id.text)/\(mark?.rawValue ?? "")"
    return KeyedDigest.digest(of: Array(text.utf8), key: secret.key).hexadecimal
  }

  /// What a name is the name of; `nil` if it isn't one of ours.
  static func parse(_ name: String) -> Part? {
    let digits = String(name.prefix(64))
    guard let id = BlobID(digits) else { return nil }
    var rest = name.dropFirst(64)
    if rest == markSuffix { return .sealedMark }
    let isUnfinished = rest.hasSuffix(FileNames.unfinished)
    if isUnfinished { rest = rest.dropLast(FileNames.unfinished.count) }
    let isSealed = rest.hasSuffix(sealedSuffix)
    if isSealed { rest = rest.dropLast(sealedSuffix.count) }
    if let size = size(rest) {
      if isUnfinished { return .unfinished }
      return isSealed ? .sealedBlob(digits: digits, size: size) : .blob(id, size: size)
    }
    guard !isUnfinished, !isSealed, rest.hasPrefix("."),
      let mark = Mark(rawValue: String(rest.dropFirst()))
    else { return nil }
    return .mark(mark, id)
  }

  enum Part {
    case blob(BlobID, size: Int)
    case mark(Mark, BlobID)
    case sealedBlob(digits: String, size: Int)
    case sealedMark
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

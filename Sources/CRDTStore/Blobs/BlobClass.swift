/// What a blob is kept for, on which it depends how long.
public enum BlobClass: String, Hashable, Sendable, CaseIterable, Codable {
  /// What can be had again: pictures, thumbnails. The least recently used go.
  case images
  /// What the user keeps: nothing goes by itself.
  case documents
  /// What is to be sent: it goes when it was, or when it is no longer pinned then.
  case uploads
  /// What is needed now: it goes when the app starts.
  case temporary

  /// Whether the least recently used go when there is no more room.
  public var isCache: Bool { self == .images || self == .temporary }
}

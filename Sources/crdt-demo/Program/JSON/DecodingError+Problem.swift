extension DecodingError {
  /// Where something is wrong, and what, for people.
  var problem: String {
    let (context, problem): (Context, String?) =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .dataCorrupted(let context):
        (context, nil)
      case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
      @unknown default: (.init(codingPath: [], debugDescription: "\(self)"), nil)
      }
    let path = context.codingPath.map(\.stringValue).joined(separator: ": ")
    return (path.isEmpty ? "" : path + ": ") + (problem ?? context.debugDescription)
  }
}

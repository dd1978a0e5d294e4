import CRDTKit

extension StoreCore {
  /// How many records are told of that can't be read; then there is no telling more.
  static var unreadableMax: Int { 1_024 }

  /// Tells the app, once a record, that its model can't be read and is left out.
  func tellUnreadable(_ record: Document.RecordID, _ error: any Error) {
    let isNews = unreadable.withLock { known in
      known.count < Self.unreadableMax && known.insert(record).inserted
    }
    guard isNews else { return }
    let (field, reason) = Self.place(of: error)
    tell(.recordUnreadable(record, field: field, reason: reason))
  }

  /// Which field an error is about, and what is wrong with it.
  private static func place(of error: any Error) -> (FieldPath, String) {
    let path = { (keys: [any CodingKey]) in FieldPath(keys.map(\.stringValue)) }
    switch error as? DecodingError {
    case .keyNotFound(let key, let context)?:
      return (path(context.codingPath + [key]), "it has no value, and no default beside the rules")
    case .valueNotFound(_, let context)?, .typeMismatch(_, let context)?,
      .dataCorrupted(let context)?:
      return (path(context.codingPath), context.debugDescription)
    default: return ([], "\(error)")
    }
  }
}

import CRDTKit

/// Pages that a server was asked for and that were not taken in yet, with the records of
/// which it has said something since: a page may be from before that.
struct PagesUnderWay: Sendable {
  private var overtaken: [Int: Set<Document.RecordID>] = [:]
  private var nextNumber = 0

  /// Notes that a page is asked for; gives its number.
  mutating func begin() -> Int {
    defer { nextNumber += 1 }
    overtaken[nextNumber] = []
    return nextNumber
  }

  /// Notes that something that the server said of a record was heard.
  ///
  /// - Complexity: O(pages under way).
  mutating func note(_ record: Document.RecordID) {
    for number in overtaken.keys { overtaken[number]?.insert(record) }
  }

  /// Forgets a page; gives the records of which it may be behind.
  @discardableResult
  mutating func end(_ number: Int) -> Set<Document.RecordID> {
    overtaken.removeValue(forKey: number) ?? []
  }
}

import CRDTKit
import CRDTStore

/// The same card, with its fields listed by hand.
struct ListedCard: BenchmarkCard, FieldRepresentable {
  let id: String
  var title: String
  var body = "There was a lake."
  var tags: Set<String> = ["story"]
  var likes = 0

  static let collection = "cards"
  static let rules = Rules([CodingKeys.tags: .set, .likes: .counter])

  init(_ number: Int) {
    id = Elements.padded(number, 6)
    title = "Card \(number)"
  }

  init(fields: [String: Document.Value]) throws {
    id = try fields.read("id")
    title = try fields.read("title")
    body = try fields.read("body")
    tags = try fields.read("tags")
    likes = try fields.read("likes")
  }

  var fields: KeyValuePairs<String, Document.Value> {
    [
      "id": .string(id), "title": .string(title), "body": .string(body),
      "tags": .array(tags.sorted().map { .string($0) }), "likes": .int(Int64(likes)),
    ]
  }
}

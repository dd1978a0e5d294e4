import CRDTKit

extension RandomEditor {
  /// How many records of a collection there are to be edited: so few that the
  /// replicas meet.
  private static let recordCount = 16

  /// The name of a record.
  mutating func record(of collection: String) -> String {
    "\(collection.prefix(1))\(generator.below(Self.recordCount))"
  }

  mutating func word() -> String {
    Self.words[generator.below(Self.words.count)]
  }

  mutating func phrase() -> Document.Value {
    .string(word() + " " + word())
  }

  /// One of them in two spellings, which are the same text.
  private static let words = [
    "amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heron", "iris", "jade",
    "kelp", "larch", "moss", "north", "opal", "pine", "quartz", "reed", "slate", "tide",
    "umber", "vale", "willow", "yarrow", "café", "cafe\u{301}", "Übung", "東京", "🌲",
  ]
}

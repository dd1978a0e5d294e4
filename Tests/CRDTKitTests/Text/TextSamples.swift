import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Toolkit

/// Strings and edits from which the tests of texts are made.
enum TextSamples {
  /// Characters of one scalar and of several, of every length in UTF-8 and in UTF-16.
  static let pieces = [
    "a", "b", "z", " ", "\u{E9}", "e\u{301}", "漢", "👍🏽", "👨‍👩‍👧", "🇩🇪", "\r\n", "\n", "\n\n",
  ]

  /// A string of random pieces.
  static func string(pieces count: Int, using random: inout SeededGenerator) -> String {
    var string = ""
    for _ in 0..<count { string += pieces[random.below(pieces.count)] }
    return string
  }

  /// A string of some scalars.
  static func string(of scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  /// A scalar that only this number has; numbers go up to 20,000.
  static func scalar(_ number: Int) -> Unicode.Scalar {
    Unicode.Scalar(0x4E00 + UInt32(number)) ?? "?"
  }
}

extension ReplicatedText {
  /// The position before the scalar of that number.
  func place(_ scalar: Int) -> Index { index(scalar, in: .unicodeScalars) }

  /// The positions of some scalars.
  func places(_ scalars: Range<Int>) -> Range<Index> {
    place(scalars.lowerBound)..<place(scalars.upperBound)
  }

  /// The bytes of the string, in which two spellings of one character differ.
  var shownBytes: [UInt8] { Array(String(self).utf8) }
}

extension RandomTextSchedule.Step {
  /// Takes the step in the texts of the replicas 1, 2, and so on; returns which one acted.
  @discardableResult
  func act(on texts: inout [ReplicatedText]) -> Int {
    switch self {
    case .insert(let who, let position, let string):
      let acting = who % texts.count
      let length = texts[acting].count(in: .unicodeScalars)
      let index = texts[acting].place(position % (length + 1))
      texts[acting].insert(string, at: index, by: ReplicaID(UInt64(acting) + 1))
      return acting
    case .delete(let who, let position, let count):
      let acting = who % texts.count
      let length = texts[acting].count(in: .unicodeScalars)
      guard length > 0 else { return acting }
      let first = position % length
      let range = texts[acting].places(first..<min(first + count, length))
      texts[acting].removeSubrange(range, by: ReplicaID(UInt64(acting) + 1))
      return acting
    case .merge(let who, let from):
      let acting = who % texts.count
      let source = texts[from % texts.count]
      texts[acting].merge(source)
      return acting
    }
  }
}

import CRDTStoreTesting
import Testing

@testable import CRDTKit

extension SeededGenerator {
  /// A text of `count` pieces.
  mutating func text(_ count: Int, of pieces: [String]) -> String {
    var text = ""
    for _ in 0..<count { text += pieces[Int.random(in: 0..<pieces.count, using: &self)] }
    return text
  }

  /// The words of all prose.
  private static let words = {
    var random = SeededGenerator(seed: 0)
    return (0..<2000).map { _ in
      random.text(Int.random(in: 1...9, using: &random), of: "etaoinshrdlucmfwyp".map(String.init))
    }
  }()

  /// A text of words and lines like prose, of about `byteCount` bytes.
  mutating func prose(_ byteCount: Int) -> String {
    var result = ""
    while result.utf8.count < byteCount {
      let (first, second) = (Int.random(in: 0..<2000, using: &self), next() % 2000)
      result += Self.words[min(first, Int(second))]
      result += Int.random(in: 0..<12, using: &self) == 0 ? ".\n" : " "
    }
    return result
  }

  /// `text` after `count` small replacements.
  mutating func edited(_ text: String, count: Int, pieces: [String]) -> String {
    var scalars = Array(text.unicodeScalars)
    for _ in 0..<count {
      let start = Int.random(in: 0...scalars.count, using: &self)
      let end = min(scalars.count, start + Int.random(in: 0...4, using: &self))
      let length = Int.random(in: 0...4, using: &self)
      scalars.replaceSubrange(start..<end, with: self.text(length, of: pieces).unicodeScalars)
    }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: scalars)
    return String(result)
  }
}

/// The difference of two texts, checked against the laws that hold for all texts.
struct CheckedDifference {
  let edits: [TextDifference.Edit]
  let steps: Int
  let old: [UInt8]
  let new: [UInt8]

  init(_ old: String, _ new: String, _ location: SourceLocation = #_sourceLocation) {
    self.init(Array(old.utf8), Array(new.utf8), location)
  }

  init(_ old: [UInt8], _ new: [UInt8], _ location: SourceLocation = #_sourceLocation) {
    let difference = old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in TextDifference(from: old, to: new) }
    }
    edits = difference.edits
    steps = difference.steps
    self.old = old
    self.new = new
    let shown =
      "\(String(decoding: old.prefix(200), as: UTF8.self).debugDescription) to "
      + String(decoding: new.prefix(200), as: UTF8.self).debugDescription
    // Compared first, as the test library would look for the difference of long arrays.
    let isApplied = applied == new
    #expect(isApplied, "\(shown): \(edits.prefix(20))", sourceLocation: location)
    #expect(isWellFormed, "\(shown): \(edits.prefix(20))", sourceLocation: location)
    #expect(steps <= stepsMax, "\(shown)", sourceLocation: location)
  }

  /// The most steps that two texts of these lengths may take.
  var stepsMax: Int { 16 * (old.count + new.count) + 2_000_000 }

  /// The old text after the edits.
  var applied: [UInt8] {
    var result: [UInt8] = []
    var kept = 0
    for edit in edits {
      guard edit.removed.lowerBound >= kept, edit.removed.upperBound <= old.count else { return [] }
      result += old[kept..<edit.removed.lowerBound]
      // An edit must say where its text stands in the new text.
      guard result.count == edit.inserted.lowerBound, edit.inserted.upperBound <= new.count
      else { return [] }
      result += new[edit.inserted]
      kept = edit.removed.upperBound
    }
    return result + old[kept...]
  }

  /// Whether the edits are apart, not empty, and have borders between scalars.
  private var isWellFormed: Bool {
    var end = -1
    for edit in edits {
      guard edit.removed.lowerBound > end, !edit.removed.isEmpty || !edit.inserted.isEmpty
      else { return false }
      end = edit.removed.upperBound
      for (text, range) in [(old, edit.removed), (new, edit.inserted)] {
        for border in [range.lowerBound, range.upperBound] where border < text.count {
          guard text[border] & 0xC0 != 0x80 else { return false }
        }
      }
    }
    return true
  }

  /// The scalars removed and inserted.
  var cost: Int {
    edits.reduce(0) { sum, edit in
      sum + old[edit.removed].count { $0 & 0xC0 != 0x80 }
        + new[edit.inserted].count { $0 & 0xC0 != 0x80 }
    }
  }

  /// Whether no edit begins or ends within a character of either text.
  var cutsNoCharacter: Bool {
    Self.cutsNone(old, edits.map(\.removed)) && Self.cutsNone(new, edits.map(\.inserted))
  }

  private static func cutsNone(_ bytes: [UInt8], _ ranges: [Range<Int>]) -> Bool {
    var borders: Set = [0]
    var offset = 0
    for character in String(decoding: bytes, as: UTF8.self) {
      offset += character.utf8.count
      borders.insert(offset)
    }
    return ranges.allSatisfy {
      borders.contains($0.lowerBound) && borders.contains($0.upperBound)
    }
  }
}

/// The fewest scalars to remove and insert, by the whole table of common subsequences.
func fewestScalars(_ old: String, _ new: String) -> Int {
  let old = Array(old.unicodeScalars)
  let new = Array(new.unicodeScalars)
  var row = [Int](repeating: 0, count: new.count + 1)
  for scalar in old {
    var diagonal = 0
    for index in new.indices {
      let above = row[index + 1]
      row[index + 1] = scalar == new[index] ? diagonal + 1 : max(above, row[index])
      diagonal = above
    }
  }
  return old.count + new.count - 2 * (row.last ?? 0)
}

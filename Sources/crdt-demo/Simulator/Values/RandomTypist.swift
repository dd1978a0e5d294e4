import CRDTKit
import CRDTStoreTesting

/// Deletes some scalars of a text at a position, then inserts others there.
///
/// Positions and lengths count Unicode scalars. Splices of one edit are made one after
/// another, each in the text that those before it have left.
struct TextSplice: Equatable, Sendable {
  var position: Int
  var removed = 0
  var inserted: [Unicode.Scalar] = []

  /// How many events it is: one for all that it deletes, one for each scalar that it inserts.
  var eventCount: Int { (removed > 0 ? 1 : 0) + inserted.count }
}

/// What a typist does in a text at a time.
enum TypistEdit: Equatable, Sendable {
  /// Types, deletes and pastes at a place.
  case splices([TextSplice])
  /// Sets the whole text, as an app does that has a text field and no cursor.
  case set([Unicode.Scalar])
}

/// Draws the edits of somebody who writes in a text: bursts of typing with corrections,
/// deletions, pastes, and whole texts that are set.
///
/// A burst goes on where the typist has written before, or begins at one of so many spots,
/// where the typists meet. The edit depends on nothing but the number and the text.
struct RandomTypist {
  private var generator: SeededGenerator
  private let spot: Int
  private let spotCount: Int
  private var scalars: ScalarSource

  /// The most scalars that are drawn for one edit.
  static let insertedMax = 20

  init(_ number: UInt64, spots: Int) {
    generator = SeededGenerator(seed: number & EditNumber.drawMask, stream: 41)
    spotCount = max(spots, 1)
    spot = Int((number & EditNumber.drawMask) % UInt64(spotCount))
    scalars = ScalarSource(serial: EditNumber.serial(of: number))
  }

  /// Draws the edit of a replica.
  mutating func draw(in text: ReplicatedText, by replica: ReplicaID) -> TypistEdit {
    let count = text.count(in: .unicodeScalars)
    let meetingPoint = count * spot / spotCount
    let isAtOwn = generator.below(3) > 0
    let cursor = isAtOwn ? lastPlace(of: replica, in: text) ?? meetingPoint : meetingPoint
    switch generator.below(16) {
    case 0..<7: return .splices(typing(at: cursor))
    case 7, 8: return .splices([TextSplice(position: meetingPoint, inserted: drawWords(2))])
    case 9, 10: return .splices(backspaces(at: cursor))
    case 11, 12: return .splices([deletion(at: meetingPoint, in: count)])
    case 13:
      var splice = deletion(at: meetingPoint, in: count)
      splice.inserted = drawWords(1)
      return .splices([splice])
    default: return .set(changed(Array(String(text).unicodeScalars)))
    }
  }

  /// The place after something that the replica has written: most often the last of it.
  private mutating func lastPlace(of replica: ReplicaID, in text: ReplicatedText) -> Int? {
    let own = text.authors(in: text.startIndex..<text.endIndex).filter { $0.replica == replica }
    guard !own.isEmpty else { return nil }
    let number = generator.below(3) == 0 ? generator.below(own.count) : own.count - 1
    return text.offset(of: own[number].range.upperBound, in: .unicodeScalars)
  }

  /// Types a word scalar by scalar; now and then one is wrong and typed again, or the cursor
  /// goes back before the last.
  private mutating func typing(at cursor: Int) -> [TextSplice] {
    var splices: [TextSplice] = []
    var cursor = cursor
    for scalar in drawWords(1) {
      switch generator.below(12) {
      case 0:
        splices.append(TextSplice(position: cursor, inserted: [scalars.next(scalar)]))
        splices.append(TextSplice(position: cursor, removed: 1))
      case 1 where !splices.isEmpty: cursor -= 1
      default: break
      }
      splices.append(TextSplice(position: cursor, inserted: [scalar]))
      cursor += 1
    }
    return splices
  }

  private mutating func backspaces(at cursor: Int) -> [TextSplice] {
    let count = min(1 + generator.below(6), cursor)
    return (0..<count).map { TextSplice(position: cursor - 1 - $0, removed: 1) }
  }

  private mutating func deletion(at position: Int, in count: Int) -> TextSplice {
    TextSplice(position: position, removed: min(1 + generator.below(8), count - position))
  }

  /// The text with one to three changes.
  private mutating func changed(_ old: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var new = old
    for _ in 0..<1 + generator.below(3) {
      let position = new.isEmpty ? 0 : generator.below(new.count + 1)
      let end = min(position + generator.below(4), new.count)
      let word = generator.below(2) == 0 ? [] : drawWords(1).prefix(5)
      new.replaceSubrange(position..<end, with: word)
    }
    return new
  }

  private mutating func drawWords(_ count: Int) -> [Unicode.Scalar] {
    var drawn: [Unicode.Scalar] = []
    for _ in 0..<count {
      for scalar in Self.words[generator.below(Self.words.count)].unicodeScalars {
        drawn.append(scalars.next(scalar))
      }
    }
    return drawn
  }

  /// None is longer than six scalars: three of them, or one with each scalar mistyped, are no
  /// more than ``insertedMax``.
  private static let words = [
    "the ", "tea ", "is ", "hot, ", "and ", "we ", "sail ", "a boat", "at ", "noon.", "rain ",
    "wind ", "lake ", "\n", "na\u{EF}ve ", "e\u{301}te\u{301} ", "漢字", "👍🏽 ", "שלום ", "\r\n",
  ]
}

/// The parts of a number that stands for an edit of a text.
enum EditNumber {
  /// The bits that an edit is drawn from.
  static let drawMask: UInt64 = 1 << 40 - 1
  /// Says that the scalars of the edit must be distinct from those of all others.
  private static let distinctBit: UInt64 = 1 << 62

  /// The number of the same edit, whose scalars the serial number distinguishes, if there is
  /// one.
  static func marked(_ number: UInt64, serial: Int?) -> UInt64 {
    let draw = number & drawMask
    guard let serial else { return draw }
    return draw | distinctBit | UInt64(serial) << 40 & (distinctBit - 1)
  }

  /// The serial number that makes the edit's scalars distinct, if there is one.
  static func serial(of number: UInt64) -> Int? {
    number & distinctBit == 0 ? nil : Int((number & (distinctBit - 1)) >> 40)
  }
}

/// What scalars a typist uses: those of words, or such as nobody else ever types.
private struct ScalarSource {
  let serial: Int?
  private var count = 0

  init(serial: Int?) { self.serial = serial }

  /// The scalar to be typed for one of a word.
  mutating func next(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard let serial else { return scalar }
    let place = serial * RandomTypist.insertedMax + count
    count += 1
    // Two ranges of characters that stand each for itself, in three bytes and in four.
    let ideograph = place % 2 == 0 && place < 20_000
    return Unicode.Scalar(UInt32(ideograph ? 0x4E00 + place : 0xF_0000 + place % 0xFFF0)) ?? scalar
  }
}

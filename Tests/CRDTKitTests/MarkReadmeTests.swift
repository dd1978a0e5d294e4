import CRDTKit
import Foundation
import Testing

// [README]
#if canImport(Foundation)
/// Bold, where there is no `inlinePresentationIntent`, which Apple's platforms have for it.
enum BoldAttribute: AttributedStringKey {
  typealias Value = Bool
  static let name = "bold"
}

extension AttributedString {
  /// The text, with the marks that this app shows.
  init(_ text: ReplicatedText) {
    self.init()
    for run in text.runs {
      var part = AttributedString(text[run.range])
      part[BoldAttribute.self] = run.marks["bold"].map { _ in true }
      part.link = run.marks["link"].flatMap { URL(string: $0) }
      append(part)
    }
  }
}

extension ReplicatedText {
  /// Makes the text and those marks what an attributed string has, by small edits.
  mutating func set(to string: AttributedString, by replica: ReplicaID) {
    set(to: String(string.characters), by: replica)
    var offset = 0
    for run in string.runs {
      let scalars = offset..<offset + string.unicodeScalars[run.range].count
      offset = scalars.upperBound
      if run[BoldAttribute.self] == true {
        mark(positions(of: scalars), as: "bold", by: replica)
      } else {
        unmark(positions(of: scalars), as: "bold", by: replica)
      }
      if let link = run.link?.absoluteString {
        mark(positions(of: scalars), as: "link", value: link, growing: .neither, by: replica)
      } else {
        unmark(positions(of: scalars), as: "link", by: replica)
      }
    }
  }

  private func positions(of scalars: Range<Int>) -> Range<Index> {
    index(scalars.lowerBound, in: .unicodeScalars)..<index(scalars.upperBound, in: .unicodeScalars)
  }
}
#endif
// [end]

/// What the article on types shows of the marks of texts.
@Suite("The article on marks")
struct MarkReadmeTests {
  private let phone = ReplicaID(0xF0)
  private let laptop = ReplicaID(0x1A)

  @Test("marks do what the article says")
  func marks() {
    var shown: [String] = []
    func show(_ part: String, isBold: Bool, link: String?) {
      shown.append("\(part)|\(isBold)|\(link ?? "")")
    }
    // [README]
    var page = ReplicatedText("The fox jumped.", by: phone)
    var theirs = page

    // The phone makes words bold, while the laptop links others and inserts one.
    let start = page.startIndex..<page.index(7, in: .utf16)
    page.mark(start, as: "bold", by: phone)
    let fox = theirs.index(4, in: .utf16)..<theirs.index(7, in: .utf16)
    theirs.mark(fox, as: "link", value: "https://fox.example", growing: .neither, by: laptop)
    theirs.insert("old ", at: theirs.index(4, in: .utf16), by: laptop)
    page.merge(theirs)

    // "The old " is bold, "fox" is bold and a link, " jumped." is neither.
    for run in page.runs {
      show(page[run.range], isBold: run.marks["bold"] != nil, link: run.marks["link"])
    }
    // [end]
    #expect(
      shown == ["The old |true|", "fox|true|https://fox.example", " jumped.|false|"])
  }

  @Test("a text becomes an attributed string, and the other way around")
  func attributed() {
    var text = ReplicatedText("The fox jumped.", by: phone)
    text.mark(text.startIndex..<text.index(7, in: .utf16), as: "bold", by: phone)
    var string = AttributedString(text)
    #expect(string.runs.count == 2)
    let before = text.version
    text.set(to: string, by: laptop)
    #expect(text.version == before)
    string[string.startIndex..<string.endIndex].link = URL(string: "https://fox.example")
    string.append(AttributedString(" 👍"))
    text.set(to: string, by: laptop)
    #expect(AttributedString(text) == string)
    #expect(text.ranges(markedAs: "bold").map { text[$0.range] } == ["The fox"])
    #expect(text.ranges(markedAs: "link").map { text[$0.range] } == ["The fox jumped."])
  }
}

import CRDTSimulator
import Toolkit

extension String {
  /// The words of a line, as a shell takes it apart: quotation marks of both kinds keep
  /// spaces, and a backslash the next character.
  func shellWords() throws(UsageError) -> [String] {
    var words: [String] = []
    var word: String?
    var mark: Character?
    var isEscaped = false
    for character in self {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", mark != "'" {
        isEscaped = true
      } else if let open = mark {
        if character == open { mark = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        mark = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let complete = word { words.append(complete) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard mark == nil, !isEscaped else { throw UsageError("a quotation mark is missing its other") }
    if let word { words.append(word) }
    return words
  }
}

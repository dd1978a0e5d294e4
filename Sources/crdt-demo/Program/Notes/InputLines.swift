import Foundation
import Toolkit

/// The lines of the standard input, as they are typed.
enum InputLines {
  /// What a line may have at most, in bytes.
  private static let lengthMax = 1 << 20

  /// Reads lines on a thread of its own, which may wait where they are taken; `nil` stands
  /// for the end.
  static func read(_ take: @escaping @Sendable (String?) -> Void) {
    Thread.detachNewThread {
      var bytes: [UInt8] = []
      while bytes.count <= lengthMax {
        let count: Int?
        do throws(Syscalls.Failure) {
          count = try Syscalls.read(0, onto: &bytes)
          if count == nil { _ = try Syscalls.wait(reading: [0], milliseconds: 1_000) }
        } catch {
          break
        }
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
          take(String(decoding: bytes[..<end], as: UTF8.self))
          bytes.removeSubrange(...end)
        }
        guard count == 0 else { continue }
        if !bytes.isEmpty { take(String(decoding: bytes, as: UTF8.self)) }
        break
      }
      take(nil)
    }
  }
}

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

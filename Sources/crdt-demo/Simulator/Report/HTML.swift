import Toolkit

/// Text within HTML.
enum HTML {
  /// A text so that it reads as it is between tags and in quoted attributes.
  ///
  /// What HTML can't hold, control characters, becomes the replacement character.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\n", "\t", "\u{2028}", "\u{2029}": escaped += " "
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
        escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// JSON so that it can stand in a `script` element: nothing in it ends that, begins
  /// a comment, or ends a line to a script but not to JSON.
  static func embedded(_ json: JSONValue) -> String {
    var text = ""
    for scalar in json.description.unicodeScalars {
      switch scalar {
      case "<": text += "\\u003c"
      case ">": text += "\\u003e"
      case "&": text += "\\u0026"
      case "\u{2028}": text += "\\u2028"
      case "\u{2029}": text += "\\u2029"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

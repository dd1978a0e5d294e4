extension String {
  /// The text as a JSON string, with its quotation marks.
  ///
  /// Beyond what must be escaped, all that doesn't show is, or that a terminal would act on.
  package var jsonQuoted: String {
    let escaped = replacingScalars { scalar, isHidden in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\t": "\\t"
      case "\r": "\\r"
      default: isHidden ? scalar.jsonEscape : nil
      }
    }
    return "\"\(escaped)\""
  }
}

extension Unicode.Scalar {
  /// The scalar as JSON escapes it: by one or two units of UTF-16.
  fileprivate var jsonEscape: String {
    UTF16.encode(self).map { units in
      units.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    } ?? ""
  }
}

extension Document.Value {
  /// The value with moments as text of ISO 8601, as servers keep them.
  ///
  /// - Complexity: O(size of the value).
  package var sayingMoments: Document.Value {
    switch self {
    case .timestamp(let seconds): MomentText.text(of: seconds).map { .string($0) } ?? self
    case .array(let values): .array(values.map(\.sayingMoments))
    case .object(let fields): .object(fields.mapValues(\.sayingMoments))
    default: self
    }
  }

  /// What a server says, in the form in which a model has the same where it read this: a
  /// moment that is said as text or as milliseconds since 1970, bytes in base64, a decimal
  /// with other zeros, a UUID in other letters.
  ///
  /// - Complexity: O(size of the value).
  package func takingForm(of own: Document.Value) -> Document.Value {
    switch (self, own) {
    case (.string(let text), .timestamp):
      MomentText.seconds(of: text).map { .timestamp($0) } ?? self
    case (.int(let number), .timestamp): Self.moment(milliseconds: Double(number))
    case (.double(let number), .timestamp): Self.moment(milliseconds: number)
    case (.string(let text), .bytes): Base64.bytes(of: text).map { .bytes($0) } ?? self
    case (.int, .string(let other)), (.double, .string(let other)), (.string, .string(let other)):
      meansSame(as: other) ? own : self
    case (.array(let values), .array(let others)):
      .array(Self.taking(values, formsOf: others))
    case (.object(let fields), .object(let others)):
      .object(
        Dictionary(
          fields.map { name, value in
            (name, others[name].map { value.takingForm(of: $0) } ?? value)
          }, uniquingKeysWith: { $1 }))
    default: self
    }
  }

  private static func moment(milliseconds: Double) -> Document.Value {
    .timestamp(milliseconds / 1000 - Double(MomentText.secondsTo2001))
  }

  /// Whether the value says the number or the UUID of a text.
  private func meansSame(as other: String) -> Bool {
    switch self {
    case .int(let number): return DecimalText("\(number)")?.text == other
    case .double(let number): return DecimalText("\(number)")?.text == other
    case .string(let text):
      if text == other { return false }
      if text.utf8.count == 36, other.utf8.count == 36 {
        let dashes = other.utf8.filter { $0 == UInt8(ascii: "-") }
        return dashes.count == 4 && text.uppercased() == other
      }
      return DecimalText(text)?.text == other
    default: return false
    }
  }

  /// Elements in the form of others, which a set may have in another order.
  private static func taking(
    _ values: [Document.Value], formsOf others: [Document.Value]
  ) -> [Document.Value] {
    guard let first = others.first else { return values }
    switch first {
    case .timestamp, .bytes: return values.map { $0.takingForm(of: first) }
    default:
      guard values.count == others.count else { return values }
      return zip(values, others).map { $0.takingForm(of: $1) }
    }
  }
}

/// The value of a field of a ``LogEvent``.
public enum LogValue: Hashable, Sendable {
  /// A text.
  case string(String)
  /// A whole number.
  case integer(Int64)
  /// A number.
  case number(Double)
  /// Yes or no.
  case boolean(Bool)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension LogValue: ExpressibleByIntegerLiteral {
  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension LogValue: ExpressibleByFloatLiteral {
  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }
}

extension LogValue: ExpressibleByBooleanLiteral {
  /// Creates a yes or no.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

package import CRDTKit

/// The text of an option, with conversions.
package struct OptionValue {
  package var name: String
  package var text: String

  package init(name: String, text: String) {
    (self.name, self.text) = (name, text)
  }

  /// The name of a file.
  package func fileName() throws(UsageError) -> String {
    guard !text.isEmpty else { throw UsageError("'--\(name)' needs the name of a file") }
    return text
  }

  /// A whole number within bounds.
  package func integer(in range: ClosedRange<Int>) throws(UsageError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw invalid("a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number within bounds.
  package func number(in range: ClosedRange<Double>) throws(UsageError) -> Double {
    guard let number = Double(text), range.contains(number) else {
      let bounds = [range.lowerBound, range.upperBound].map(Self.short)
      throw invalid("a number from \(bounds[0]) to \(bounds[1])")
    }
    return number
  }

  /// A seed, or `random` for a fresh one.
  package func seed() throws(UsageError) -> UInt64 {
    if text == "random" { return UInt64.random(in: 1...999_999_999) }
    guard let number = UInt64(text) else {
      throw invalid("a whole number from 0 to \(UInt64.max), or 'random'")
    }
    return number
  }

  /// The name of a replica.
  package func replica() throws(UsageError) -> ReplicaID {
    guard let replica = ReplicaID(text) else { throw invalid("sixteen hexadecimal digits") }
    return replica
  }

  /// One of the cases, by name.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>(
    of _: Choice.Type
  ) throws(UsageError) -> Choice {
    guard let choice = Choice(rawValue: text) else {
      throw invalid("one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  /// Says what the value must be.
  package func invalid(_ wanted: String) -> UsageError {
    UsageError("invalid value '\(text)' for '--\(name)': it must be \(wanted)")
  }

  /// A number without a point where it needs none.
  package static func short(_ number: Double) -> String {
    number == number.rounded() && number.magnitude < 1e15 ? String(Int(number)) : String(number)
  }
}

import CRDTKit

/// The text given for an option, and what it may mean.
struct OptionValue {
  var name: String
  var text: String

  /// The name of a file.
  func fileName() throws(UsageError) -> String {
    guard !text.isEmpty else { throw UsageError("'--\(name)' needs the name of a file") }
    return text
  }

  /// A whole number within bounds.
  func integer(in range: ClosedRange<Int>) throws(UsageError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw invalid("a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number within bounds.
  func number(in range: ClosedRange<Double>) throws(UsageError) -> Double {
    guard let number = Double(text), range.contains(number) else {
      let bounds = [range.lowerBound, range.upperBound].map(Self.short)
      throw invalid("a number from \(bounds[0]) to \(bounds[1])")
    }
    return number
  }

  /// A seed, or `random` for a fresh one.
  func seed() throws(UsageError) -> UInt64 {
    if text == "random" { return UInt64.random(in: 1...999_999_999) }
    guard let number = UInt64(text) else {
      throw invalid("a whole number from 0 to \(UInt64.max), or 'random'")
    }
    return number
  }

  /// The name of a replica.
  func replica() throws(UsageError) -> ReplicaID {
    guard let replica = ReplicaID(text) else { throw invalid("sixteen hexadecimal digits") }
    return replica
  }

  /// One of the cases, by name.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    of _: Choice.Type
  ) throws(UsageError) -> Choice {
    guard let choice = Choice(rawValue: text) else {
      throw invalid("one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  /// Who is linked with whom.
  func topology() throws(UsageError) -> Topology {
    guard let topology = Topology(text) else { throw invalid(Topology.forms) }
    return topology
  }

  /// Who can't reach whom, and when.
  func partition() throws(UsageError) -> Scenario.Partition {
    guard let partition = Scenario.Partition(text) else {
      throw invalid("FROM-TO:A,B/C,D in seconds, replicas counted from 0")
    }
    return partition
  }

  /// Who comes or leaves, and when.
  func passage() throws(UsageError) -> Scenario.Passage {
    guard let passage = Scenario.Passage(text) else {
      throw invalid("SECONDS:REPLICA, replicas counted from 0")
    }
    return passage
  }

  /// What a test lets go wrong.
  func sabotage() throws(UsageError) -> Sabotage {
    guard let sabotage = Sabotage(text) else {
      throw invalid(Sabotage.forms)
    }
    return sabotage
  }

  private func invalid(_ wanted: String) -> UsageError {
    UsageError("invalid value '\(text)' for '--\(name)': it must be \(wanted)")
  }

  /// A number without a point where it needs none.
  static func short(_ number: Double) -> String {
    number == number.rounded() && number.magnitude < 1e15 ? String(Int(number)) : String(number)
  }
}

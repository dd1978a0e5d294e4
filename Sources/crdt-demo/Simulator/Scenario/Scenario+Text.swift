import Toolkit

extension Scenario.Partition: LosslessStringConvertible {
  /// Parses `FROM-TO:A,B/C,D`: seconds, and groups of replicas counted from 0.
  init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let times = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard times.count == 2, let from = Scenario.seconds(times[0]),
      let to = Scenario.seconds(times[1])
    else { return nil }
    var groups: [[Int]] = []
    for group in parts[1].split(separator: "/", omittingEmptySubsequences: false) {
      let names = group.split(separator: ",", omittingEmptySubsequences: false)
      let places = names.compactMap(Scenario.place)
      guard places.count == names.count else { return nil }
      groups.append(places)
    }
    self.init(from: from, to: to, groups: groups)
  }

  var description: String {
    let groups = groups.map { $0.map(String.init).joined(separator: ",") }
    return "\(OptionValue.short(from))-\(OptionValue.short(to)):\(groups.joined(separator: "/"))"
  }

  /// Groups in words, replicas counted from 1.
  static func words(_ groups: [[Int]]) -> String {
    groups.map { $0.map { "\($0 + 1)" }.joined(separator: " ") }.joined(separator: " | ")
  }
}

extension Scenario.MembershipChange: LosslessStringConvertible {
  /// Parses `SECONDS:REPLICA`, with replicas counted from 0.
  init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let at = Scenario.seconds(parts[0]),
      let replica = Scenario.place(parts[1])
    else { return nil }
    self.init(at: at, replica: replica)
  }

  var description: String { "\(OptionValue.short(at)):\(replica)" }
}

extension Scenario {
  fileprivate static func seconds(_ text: Substring) -> Double? {
    Double(text).flatMap { (0...secondsMax).contains($0) ? $0 : nil }
  }

  fileprivate static func place(_ text: Substring) -> Int? {
    Int(text).flatMap { (0..<replicasMax).contains($0) ? $0 : nil }
  }
}

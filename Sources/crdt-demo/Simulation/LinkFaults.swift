/// The chances, from 0 to 1, of what can go wrong with a packet on a link.
struct LinkFaults: Equatable {
  var loss: Double
  var duplicate: Double
  var reorder: Double

  static let none = LinkFaults(loss: 0, duplicate: 0, reorder: 0)
}

extension LinkFaults: CustomStringConvertible {
  /// The chances in per cent.
  var description: String {
    "\(Self.percent(loss)) lost, \(Self.percent(duplicate)) duplicated, "
      + "\(Self.percent(reorder)) overtaken, until they heal"
  }

  private static func percent(_ chance: Double) -> String {
    let percent = (chance * 10_000).rounded() / 100
    return percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %"
  }
}

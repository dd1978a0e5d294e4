/// The chances, from 0 to 1, of what can go wrong with a chunk of a stream.
struct LinkFaults: Equatable {
  var loss: Double
  var duplicate: Double
  var reorder: Double
  /// That a bit flips.
  var corrupt: Double
  /// That the link breaks.
  var cut: Double

  static let none = LinkFaults(loss: 0, duplicate: 0, reorder: 0, corrupt: 0, cut: 0)

  /// Enough that a short run meets all of them.
  static let standard = LinkFaults(
    loss: 0.02, duplicate: 0.02, reorder: 0.02, corrupt: 0.02, cut: 0.01)
}

extension LinkFaults: CustomStringConvertible {
  /// The chances in per cent.
  var description: String {
    "\(Self.percent(loss)) lost, \(Self.percent(duplicate)) duplicated, "
      + "\(Self.percent(reorder)) overtaken, \(Self.percent(corrupt)) corrupted, "
      + "\(Self.percent(cut)) cut, until they heal"
  }

  static func percent(_ chance: Double) -> String {
    let percent = (chance * 10_000).rounded() / 100
    return percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %"
  }
}

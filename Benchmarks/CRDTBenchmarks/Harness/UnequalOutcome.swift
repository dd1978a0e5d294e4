/// A row that measured two different things.
struct UnequalOutcome: Error, CustomStringConvertible {
  let name: String
  let ours: Int
  let baseline: Int

  var description: String {
    "\(name): ours came to \(ours), the baseline to \(baseline): not the same work"
  }
}

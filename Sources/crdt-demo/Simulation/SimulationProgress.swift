/// How far a simulation is.
struct SimulationProgress: Equatable {
  /// How far a replica is.
  struct Row: Equatable {
    /// What of its work is done, from 0 to 1.
    var share: Double
    /// The same, in words.
    var done: String
    /// Bytes that it has sent.
    var bytes: Int
    /// The digest of its state, where it is known.
    var digest: String?
    /// Anything that is wrong with it, or was.
    var note = ""
  }

  /// All of it in a line.
  var headline: String
  /// A row for each replica.
  var rows: [Row] = []
  /// Faults until now, in words.
  var faults = ""
}

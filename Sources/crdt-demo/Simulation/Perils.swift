/// What befalls processes in a round.
struct Perils {
  /// Who is killed, and how long after they have begun with the round.
  var doomed: [Int: Duration] = [:]
  /// Who is stopped, when and for how long.
  var halted: [Int: Pauser.Pause] = [:]
}

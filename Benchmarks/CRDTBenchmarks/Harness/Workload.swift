/// Something to be timed, with what it needs made afresh before and dropped
/// after, both outside of the timer.
struct Workload {
  /// Makes the state, does the work, gives the nanoseconds that the work took.
  let sample: () throws -> Double

  /// Does the work once, untimed, and gives a figure to hold against the
  /// baseline's: both must have done the same.
  let outcome: (() throws -> Int)?

  /// Creates a workload.
  ///
  /// - Parameters:
  ///   - countsWaits: Whether time counts in which the process waits, as for the disk.
  ///   - repetitions: How often `run` does the work; the time is divided by it.
  ///   - prepare: Makes what `run` needs. What `run` makes it keeps in there, so
  ///     that it is freed outside of the timer.
  ///   - run: The work.
  ///   - outcome: What the work came to.
  init<State>(
    countsWaits: Bool = false,
    repetitions: Int = 1,
    prepare: @escaping () throws -> State,
    run: @escaping (inout State) throws -> Void,
    outcome: ((State) throws -> Int)? = nil
  ) {
    sample = {
      var state = try prepare()
      let stopwatch = Stopwatch()
      try run(&state)
      let elapsed = stopwatch.elapsed(countingWaits: countsWaits)
      blackHole(state)
      return elapsed / Double(repetitions)
    }
    self.outcome = outcome.map { outcome in
      {
        var state = try prepare()
        try run(&state)
        return try outcome(state)
      }
    }
  }
}

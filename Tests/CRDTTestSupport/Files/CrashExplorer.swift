package import CRDTStoreTesting

/// Cuts the power at every call of a workload, in many ways, and has a checker look
/// at what is left.
package struct CrashExplorer: Sendable {
  /// Which images are made at each call.
  package var choices: CrashChoices
  /// What random images follow from.
  package var seed: UInt64
  /// The calls at which power is cut; `nil` if at all of them.
  package var calls: ClosedRange<Int>?
  /// Of how many cases one goes on to crashes during recovery.
  package var recoveryStride = 8
  /// After how many failures it stops.
  package var failureMax = 3

  package init(
    choices: CrashChoices = CrashChoices(), seed: UInt64 = 0, calls: ClosedRange<Int>? = nil
  ) {
    self.choices = choices
    self.seed = seed
    self.calls = calls
  }

  /// Runs a workload once and checks every image that a crash may have left.
  ///
  /// - Parameters:
  ///   - start: What is on disk before.
  ///   - workload: Uses the file system; tells the recorder when each operation
  ///     begins and when it is acknowledged. It must not fail.
  ///   - recover: Opens again what a crash left; it is cut short in its turn at each
  ///     of its calls, in a few ways. It may fail.
  ///   - check: Says what is wrong with an image, given how far the workload was;
  ///     `nil` if nothing is.
  /// - Returns: How much was checked, and what is wrong.
  package func explore(
    from start: DiskImage = DiskImage(),
    _ workload: (SimulatedFileSystem, CrashRecorder) async throws -> Void,
    recover: ((SimulatedFileSystem) async throws -> Void)? = nil,
    check: (DiskImage, CrashMoment) async -> String?
  ) async -> Exploration {
    var found = Exploration()
    let fileSystem = SimulatedFileSystem(start)
    let recorder = CrashRecorder(fileSystem)
    do {
      try await workload(fileSystem, recorder)
    } catch {
      found.failures.append("the workload failed: \(error)")
    }
    found.failures += fileSystem.misuses
    let history = fileSystem.history
    found.runCount = 1
    found.callCount = history.calls.count
    var cursor = DiskCursor(history)
    var isFirst = true
    var imageCount = 0
    var last = recorder.moment(atCall: 0)
    let first = min(recorder.firstCall, history.calls.count)
    for call in calls ?? first...history.calls.count where call <= history.calls.count {
      let moment = recorder.moment(atCall: call)
      let isChanged = cursor.advance(to: call)
      let isSame = moment.issued == last.issued && moment.acknowledged == last.acknowledged
      if isSame, !isChanged, !isFirst {
        found.crashCount += imageCount
        continue
      }
      isFirst = false
      last = moment
      let images = cursor.images(choices, seed: seed)
      imageCount = images.count
      found.crashCount += imageCount
      for crash in images where found.counts(crash.image, moment) {
        if let wrong = await check(crash.image, moment) {
          found.failures.append(report(wrong, crash, moment, history))
        } else if let recover, found.caseCount % recoveryStride == 0 {
          for (wrong, path) in await failures(from: crash, moment, recover, check, &found) {
            found.failures.append(report(wrong, crash, moment, history) + path)
          }
        }
        if found.failures.count >= failureMax { return found }
      }
    }
    return found
  }

  /// Cuts a recovery short at each of its calls: what is wrong then, and how it came.
  private func failures(
    from crash: CrashImage, _ moment: CrashMoment,
    _ recover: (SimulatedFileSystem) async throws -> Void,
    _ check: (DiskImage, CrashMoment) async -> String?, _ found: inout Exploration
  ) async -> [(wrong: String, path: String)] {
    let fileSystem = SimulatedFileSystem(crash.image)
    try? await recover(fileSystem)
    found.runCount += 1
    let history = fileSystem.history
    var few = CrashChoices.few
    few.nameOrder = choices.nameOrder
    var cursor = DiskCursor(history)
    for call in 1...max(1, history.calls.count) where cursor.advance(to: call) {
      let images = cursor.images(few, seed: seed)
      found.crashCount += images.count
      for second in images where found.counts(second.image, moment) {
        guard let wrong = await check(second.image, moment) else { continue }
        let path = """

          then cut again in recovery, after call \(call) of \(history.calls.count)
          on disk \(second)
          \(history.log(upTo: call))
          left:
          \(second.image)
          """
        return [(wrong, path)]
      }
    }
    return []
  }

  private func report(
    _ wrong: String, _ crash: CrashImage, _ moment: CrashMoment, _ history: CrashHistory
  ) -> String {
    """
    \(wrong)
    power cut after call \(moment.call) of \(history.calls.count), seed \(seed), \
    \(moment.issued) operations issued, \(moment.acknowledged) acknowledged
    on disk \(crash)
    \(history.log(upTo: moment.call))
    left:
    \(crash.image)
    """
  }
}

package import CRDTStoreTesting

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Lets every call of a workload go wrong, in every way, and has a checker look at
/// what is left.
package struct FaultExplorer: Sendable {
  /// In which ways calls go wrong.
  package var effects: [DiskFault.Effect]
  /// Which power cuts are tried at the end of each run, beside the killed process.
  package var choices: CrashChoices
  /// What random images follow from.
  package var seed: UInt64
  /// The calls that go wrong; `nil` if all do, one after the other.
  package var calls: ClosedRange<Int>?
  /// After how many failures it stops.
  package var failureMax = 3

  /// What can go wrong with any call.
  package static let everyEffect: [DiskFault.Effect] = [
    .fails(EIO), .failsDone(EIO), .fails(ENOSPC), .fails(EDQUOT), .fails(EROFS), .fails(EINTR),
    .isShort(1), .isShort(7),
  ]

  package init(
    effects: [DiskFault.Effect] = everyEffect, choices: CrashChoices = .few, seed: UInt64 = 0,
    calls: ClosedRange<Int>? = nil
  ) {
    self.effects = effects
    self.choices = choices
    self.seed = seed
    self.calls = calls
  }

  /// Runs a workload once for each call, effect, and once and for ever; checks what
  /// each run leaves to a process that starts then, and to one after a power cut.
  ///
  /// - Parameters:
  ///   - start: What is on disk before.
  ///   - workload: Uses the file system; tells the recorder when each operation
  ///     begins and when it is acknowledged. It may fail when a call has.
  ///   - check: Says what is wrong with an image, given how far the workload was;
  ///     `nil` if nothing is.
  /// - Returns: How much was checked, and what is wrong.
  package func explore(
    from start: DiskImage = DiskImage(),
    _ workload: (SimulatedFileSystem, CrashRecorder) async throws -> Void,
    check: (DiskImage, CrashMoment) async -> String?
  ) async -> Exploration {
    var found = Exploration()
    let sound = SimulatedFileSystem(start)
    do {
      try await workload(sound, CrashRecorder(sound))
    } catch {
      found.failures.append("the workload failed without a fault: \(error)")
    }
    found.runCount = 1
    found.callCount = sound.callCount
    for (index, call) in sound.calls.enumerated() where calls?.contains(index + 1) ?? true {
      for fault in faults(at: index + 1, of: call.kind) {
        let fileSystem = SimulatedFileSystem(start)
        fileSystem.callMax = 10_000 + 100 * sound.callCount
        fileSystem.schedule(fault)
        let recorder = CrashRecorder(fileSystem)
        // Whether it fails or goes on, what it acknowledged must be there.
        try? await workload(fileSystem, recorder)
        found.runCount += 1
        await look(at: fileSystem, recorder, fault, check, &found)
        if found.failures.count >= failureMax { return found }
      }
    }
    return found
  }

  private func faults(at number: Int, of kind: DiskCall) -> [DiskFault] {
    if kind == .close { return [] }
    return effects.flatMap { effect -> [DiskFault] in
      if case .isShort = effect, kind != .read, kind != .write { return [] }
      let once = DiskFault(effect, number: number)
      // A call that is interrupted for ever may be made again for ever.
      if effect == .fails(EINTR) { return [once] }
      return [once, DiskFault(effect, number: number, isForever: true)]
    }
  }

  private func look(
    at fileSystem: SimulatedFileSystem, _ recorder: CrashRecorder, _ fault: DiskFault,
    _ check: (DiskImage, CrashMoment) async -> String?, _ found: inout Exploration
  ) async {
    let history = fileSystem.history
    let moment = recorder.moment(atCall: .max)
    for misuse in fileSystem.misuses { found.failures.append("\(fault): \(misuse)") }
    if history.calls.count >= fileSystem.callMax {
      found.failures.append("\(fault): calls without end\n\(history.log(upTo: .max))")
    }
    let images = history.images(atCall: history.calls.count, choices: choices, seed: seed)
    for crash in images where found.counts(crash.image, moment) {
      guard let wrong = await check(crash.image, moment) else { continue }
      found.failures.append(
        """
        \(wrong)
        \(fault), seed \(seed), \(moment.issued) operations issued, \(moment.acknowledged) \
        acknowledged
        on disk \(crash)
        \(history.log(upTo: history.calls.count, count: 30))
        left:
        \(crash.image)
        """)
    }
  }
}

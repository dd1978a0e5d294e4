package import CRDTStoreTesting

/// Notes at which call each operation of a workload was begun and acknowledged.
package final class CrashRecorder: Sendable {
  private struct Marks {
    var issued: [(call: Int, number: Int)] = []
    var acknowledged: [(call: Int, number: Int)] = []
    var firstCall = 0
  }

  private let fileSystem: SimulatedFileSystem
  private let marks = Guarded(Marks())

  package init(_ fileSystem: SimulatedFileSystem) {
    self.fileSystem = fileSystem
  }

  /// Lets power be cut only from here on: what was before is another case's.
  package func start() {
    let call = fileSystem.callCount
    marks.withLock { $0.firstCall = call }
  }

  /// The number of calls after which power is cut first.
  var firstCall: Int { marks.withLock { $0.firstCall } }

  /// Notes that an operation begins; without a number it gets the next one, from 1.
  package func issue(_ number: Int? = nil) {
    let call = fileSystem.callCount
    marks.withLock { $0.issued.append((call, number ?? $0.issued.count + 1)) }
  }

  /// Notes that an operation was promised to last.
  package func acknowledge(_ number: Int? = nil) {
    let call = fileSystem.callCount
    marks.withLock { $0.acknowledged.append((call, number ?? $0.acknowledged.count + 1)) }
  }

  /// What was begun and acknowledged when a number of calls had been made.
  package func moment(atCall call: Int) -> CrashMoment {
    marks.withLock { marks in
      CrashMoment(
        call: call, issuedNumbers: marks.issued.prefix { $0.call <= call }.map(\.number),
        acknowledgedNumbers: marks.acknowledged.prefix { $0.call <= call }.map(\.number))
    }
  }
}

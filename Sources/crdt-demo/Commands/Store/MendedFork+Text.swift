import CRDTKit
import CRDTStore

extension MendedFork {
  /// What was mended, as a line for people.
  func remark(path: String) -> String {
    let events = events.counted("change")
    return "\(path): two places had written as replica \(replica): nothing is lost, what only "
      + "one of them had (\(events)) goes by the name of \(name) now"
  }
}

import CRDTKit
import CRDTSimulator
import CRDTStore
import Toolkit

extension StoreCommand {
  /// Writes anew what is stamped in the future.
  static func restamp(
    _ folder: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let report = try writing(folder, &console) { (store) throws(CommandFailure) in
      try stored { () throws(StoreError) in try store.restampFutureWrites() }
    }
    console.write(
      report.valuesWritten == 0
        ? "no stamp is ahead of the clock that can be written anew here\n"
        : "wrote \(report.valuesWritten.counted("value")) of "
          + "\(report.records.count.counted("record")) with stamps of now\n")
    for (replica, count) in report.countsLeft.sorted(by: { $0.key < $1.key }) {
      console.error(
        "\(folder): \(count.counted("count")) of replica \(replica) can be written anew only there")
    }
    return report.isComplete ? .success : .negative
  }
}

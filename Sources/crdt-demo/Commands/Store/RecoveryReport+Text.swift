import CRDTKit
import CRDTStore

extension RecoveryReport {
  /// What was odd about a store, as lines for people.
  func remarks(path: String, replica: ReplicaID) -> [String] {
    var remarks: [String] = []
    if isCopy {
      let former = formerReplica.map { ", not \($0)" } ?? ""
      remarks.append(
        "\(path): this folder is a copy or a restored backup: "
          + "it writes as replica \(replica) now\(former)")
    }
    if bytesSetAside > 0 {
      let bytes = bytesSetAside.counted("byte")
      remarks.append("\(path): set aside \(bytes) at its end, no whole commit")
    }
    if isWritableByOthers {
      remarks.append(
        "\(path): other users of this machine may change its files: run 'chmod o-w' on the "
          + "folder, or 'chown' if it is somebody else's")
    }
    return remarks
  }

  /// What was odd about a store, as lines for people.
  func remarks(on store: Store) -> [String] {
    remarks(path: store.path, replica: store.replica)
      + (store.clockWarning?.remarks(path: store.path) ?? [])
  }
}

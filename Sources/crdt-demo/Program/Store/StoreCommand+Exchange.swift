import CRDTKit
import CRDTSimulator
import CRDTStore
import Toolkit

extension StoreCommand {
  /// How many bytes of text are written at once.
  private static let exportBytes = 1 << 18

  /// Writes all that the store shows as JSON, of which little is in memory at a time.
  static func export(
    _ folder: String, to output: String?, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let document = try reading(folder) { (store) throws(CommandFailure) in store.document }
    guard let output else {
      do throws(Syscalls.Failure) { try write(document, to: 1) } catch {
        throw CommandFailure("write error: \(error.reason)")
      }
      return .success
    }
    try CommandFailure.naming(output) { () throws(CommandFailure) in
      try FileWriter.write(to: output) { (descriptor) throws(Syscalls.Failure) in
        try write(document, to: descriptor)
      }
    }
    return .success
  }

  private static func write(
    _ document: Document, to descriptor: Int32
  ) throws(Syscalls.Failure) {
    var bytes: [UInt8] = []
    try document.writeJSON { (text) throws(Syscalls.Failure) in
      bytes += text.utf8
      guard bytes.count >= exportBytes else { return }
      try FileWriter.writeAll(descriptor, bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    try FileWriter.writeAll(descriptor, bytes)
  }
}

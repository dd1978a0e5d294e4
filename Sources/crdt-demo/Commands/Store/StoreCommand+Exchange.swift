import CRDTKit
import CRDTStore

extension StoreCommand {
  /// Writes all that the store shows as JSON.
  static func export(
    _ folder: String, to output: String?, _ console: inout Console
  ) throws(Trouble) -> ExitStatus {
    let document = try reading(folder) { (store) throws(Trouble) in store.document }
    let text = "\(document.json.indented)\n"
    guard let output else {
      console.write(text)
      return .success
    }
    try named(output) { () throws(Trouble) in
      try FileWriter.write(Array(text.utf8), to: output)
    }
    return .success
  }
}

/// A call that was made, for messages.
package struct CallRecord: Sendable, CustomStringConvertible {
  package let kind: DiskCall
  /// The name of the file or folder that it was about.
  package let name: String
  /// How many bytes it was to read, write or keep.
  package let size: Int
  /// What went wrong; 0 if nothing did.
  package internal(set) var code: Int32 = 0

  package var description: String {
    let sized: Set<DiskCall> = [.read, .write, .truncate]
    return "\(kind.rawValue) \(name)"
      + (sized.contains(kind) ? " \(size)" : "")
      + (code == 0 ? "" : " failed: \(errorName(code))")
  }
}

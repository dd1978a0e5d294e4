import CRDTKit

/// The names in a relay's folder: made of replicas and numbers.
enum RelayNames {
  static let suffix = ".delta"

  /// The name of a replica's subfolder.
  static func folder(_ replica: ReplicaID) -> String { FileNames.digits(replica.rawValue) }

  /// The replica whose subfolder has a name; `nil` if it is none.
  static func replica(_ name: String) -> ReplicaID? {
    guard name.utf8.count == 16, let number = UInt64(name, radix: 16),
      FileNames.digits(number) == name
    else { return nil }
    return ReplicaID(number)
  }

  static func file(_ sequence: UInt64) -> String { FileNames.digits(sequence) + suffix }

  /// The number in a file's name; `nil` if it is none.
  static func sequence(_ name: String) -> UInt64? { FileNames.number(name, before: suffix) }

  /// Whether a name is one of those that systems and syncing tools give to files of
  /// their own, and to those that are still on their way.
  static func isPassing(_ name: String) -> Bool {
    let endings = [FileNames.unfinished, ".tmp", ".temp", ".part", ".partial", ".crdownload", "~"]
    return name.hasPrefix(".") || name.hasPrefix("~") || endings.contains { name.hasSuffix($0) }
      || ["desktop.ini", "Thumbs.db", "lost+found"].contains(name)
  }
}

/// Something in a folder, as a fuzzer has it: a file that may lie, or what is no file.
package struct FolderItem: Equatable {
  /// What it is.
  package enum Kind: CaseIterable {
    case file, folder, pipe, link, socket
  }

  package var kind = Kind.file
  package var bytes: [UInt8]
  /// How many bytes the file claims to have, zeros after its own; `nil` where it is honest.
  package var claimed: Int?
  /// What is appended once it was looked at as often as ``growsAfter`` says.
  package var growth: [UInt8] = []
  package var growsAfter = 0
  /// Whether nobody may open it.
  package var isForbidden = false
  /// When it was changed last, in seconds; `nil` where that is left to the system.
  package var time: Int?

  package init(_ bytes: [UInt8] = [], kind: Kind = .file) {
    self.bytes = bytes
    self.kind = kind
  }

  /// Whether a file system in memory has to be told more than its bytes.
  var isOdd: Bool { kind != .file || claimed != nil || !growth.isEmpty || isForbidden }
}

/// What is in a folder, by the path from there.
package typealias FolderContents = [String: FolderItem]

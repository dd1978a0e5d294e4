import Foundation

/// A folder of a test's own, which goes with it.
public final class TemporaryFolder {
  /// Where it is.
  public let path: String

  /// Makes the folder.
  public init() throws {
    path = FileManager.default.temporaryDirectory.path + "/crdt-kit-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file, and gives its path.
  @discardableResult
  public func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }

  /// The text of a file.
  public func read(_ name: String) throws -> String {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
    return String(decoding: data, as: UTF8.self)
  }

  /// The names of what is in it.
  public func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  /// Says who may do what with a file.
  public func setPermissions(_ permissions: Int, of name: String) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: permissions], ofItemAtPath: "\(path)/\(name)")
  }

  /// Who may do what with a file.
  public func permissions(of name: String) throws -> Int? {
    let facts = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
    return facts[.posixPermissions] as? Int
  }

  /// Makes a symbolic link.
  public func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(name)", withDestinationPath: target)
  }

  /// Whether a name is a symbolic link.
  public func isLink(_ name: String) throws -> Bool {
    let facts = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
    return facts[.type] as? FileAttributeType == .typeSymbolicLink
  }

  /// Copies a file or folder with all that is in it.
  public func copy(_ name: String, to copy: String) throws {
    try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(path)/\(copy)")
  }
}

import Foundation

/// The files of the package that is tested.
enum PackageFiles {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The files beneath a folder that end with a suffix: the path within the folder, and what
  /// they hold.
  static func texts(in folder: String, _ suffix: String) -> [(path: [String], text: String)] {
    let top = root.appending(path: folder)
    let files = FileManager.default.enumerator(at: top, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.path.hasSuffix(suffix) }
      .map { file in
        let path = Array(file.pathComponents.dropFirst(top.pathComponents.count))
        return (path, (try? String(contentsOf: file, encoding: .utf8)) ?? "")
      }
  }
}

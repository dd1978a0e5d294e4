import Foundation
import Testing

/// What the layout of the sources promises: which folders may name which, and how large
/// files and folders are.
@Suite("Layout of the sources")
struct TidyTests {
  private struct Source {
    let folders: [String]
    let name: String
    let text: String

    var path: String { (folders + [name]).joined(separator: "/") }
  }

  private static func sources(of module: String) -> [Source] {
    PackageFiles.texts(in: "Sources/\(module)", ".swift").map { path, text in
      Source(folders: path.dropLast(), name: path.last ?? "", text: text)
    }
  }

  /// The folders of a module, the lowest first, and the names that a lower one may still
  /// take from a higher one: no new ones.
  private struct Floors {
    let module: String
    let order: [String]
    var exceptions: [String: Set<String>] = [:]
  }

  private static let floors = [
    Floors(
      module: "CRDTKit", order: ["Causality", "Coding", "Table", "Types", "Document", "Sync"]),
    Floors(
      module: "CRDTStore",
      order: ["Ports", "Files", "Store", "Records", "Outbox", "Relays", "Blobs"],
      exceptions: [
        "Store": [
          "BlobStore", "BlobStore.BlobClass", "BlobStore.Usage", "FieldIndexes", "FolderTurns",
          "LocalRecords", "ModelRegistry", "OperationOutcomes", "Outbox.Operation",
          "Outbox.OperationID", "Outbox.Settings", "OutboxAction", "OutboxMachine",
          "PagesUnderWay", "ServerVersions", "StagedChange", "Store.Receipt",
          "Store.Transaction", "UndoneCommits",
        ],
        "Records": ["Outbox.Failure", "Outbox.OperationID"],
      ]),
  ]

  /// The text without comments and texts.
  private static func code(of text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let code = line.prefix(upTo: line.range(of: "//")?.lowerBound ?? line.endIndex)
      return code.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined(separator: " ")
    }.joined(separator: "\n")
  }

  /// The types that are declared at the top of a file, or in an extension of another one.
  private static func types(in text: String) -> [String] {
    let kinds: Set = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    var owner: Substring?
    return text.split(separator: "\n").compactMap { line -> String? in
      let words = line.split(separator: " ")
      let isInner = line.hasPrefix("  ") && line.dropFirst(2).first != " "
      if !isInner, !line.hasPrefix(" ") { owner = nil }
      if words.count == 3, words[0] == "extension" { owner = words[1] }
      guard isInner ? owner != nil : line.first != " ",
        let place = words.firstIndex(where: { kinds.contains(String($0)) }),
        place + 1 < words.count, words[0].first.map({ $0.isLetter || $0 == "@" }) == true,
        !words[..<place].contains("extension")
      else { return nil }
      let name = words[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      return isInner ? "\(owner ?? "").\(name)" : String(name)
    }
  }

  /// The names of types that are told of, with the first that is nested in each.
  private static func names(in code: String) -> Set<Substring> {
    Set(code.matches(of: /(?:^|[^.\w])([A-Z]\w*(?:\.[A-Z]\w*)?)/).map(\.output.1))
  }

  @Test("A lower folder names nothing of a higher one", arguments: [0, 1])
  func floors(_ number: Int) {
    let floors = Self.floors[number]
    let sources = Self.sources(of: floors.module).filter { $0.folders.first != "Testing" }
    var lowest: [Substring: Int] = [:]
    for source in sources {
      guard let floor = floors.order.firstIndex(of: source.folders.first ?? "") else {
        Issue.record("\(source.path) is in no folder that has a floor")
        continue
      }
      for type in Self.types(in: source.text) {
        lowest[Substring(type)] = min(lowest[Substring(type)] ?? floor, floor)
      }
    }
    #expect(lowest.count > 100)
    for source in sources {
      guard let floor = floors.order.firstIndex(of: source.folders[0]) else { continue }
      let allowed = floors.exceptions[source.folders[0]] ?? []
      for full in Self.names(in: Self.code(of: source.text)) {
        let name = lowest[full] == nil ? full.prefix { $0 != "." } : full
        if let other = lowest[name], other > floor, !allowed.contains(String(name)) {
          Issue.record("\(source.path) names \(name), of \(floors.order[other])")
        }
      }
    }
  }

  @Test("Files have one idea: few are short, and none is long")
  func sizes() {
    let sources = ["CRDTKit", "CRDTStore", "crdt-demo"].flatMap { Self.sources(of: $0) }
    let lines = sources.map { ($0.path, $0.text.count { $0 == "\n" }) }
    let short = lines.filter { $0.1 <= 15 }.map(\.0)
    #expect(short.count <= Self.shortMax, "\(short)")
    for (path, count) in lines { #expect(count <= 410, "\(path) has \(count) lines") }
    #expect(sources.count <= Self.filesMax)
    let folders = Dictionary(grouping: sources) { $0.folders.joined(separator: "/") }
    for (folder, files) in folders where files.count > Self.folderMax {
      Issue.record("\(folder) has \(files.count) files: it needs rooms")
    }
  }

  /// How many files of 15 lines or fewer there may be, files in all, and files in a folder.
  private static let (shortMax, filesMax, folderMax) = (10, 698, 25)
}

import Testing

/// What the catalogues of the libraries list.
@Suite("Curation of the documentation")
struct CurationTests {
  /// The public types at the top of a file, except those whose names begin with an
  /// underscore, which nobody but the package may use.
  private static func publicTypes(in text: String) -> [Substring] {
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    return text.split(separator: "\n").compactMap { line in
      guard line.first != " " else { return nil }
      var words = line.split(separator: " ").drop { $0.hasPrefix("@") }
      guard words.popFirst() == "public" else { return nil }
      words = words.drop { $0 == "final" || $0 == "indirect" || $0 == "nonisolated" }
      guard let kind = words.popFirst(), kinds.contains(kind) else { return nil }
      let name = words.first?.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      return name?.hasPrefix("_") == true ? nil : name
    }
  }

  /// The symbols that an article lists as its topics.
  private static func topics(of article: String) -> [Substring] {
    article.split(separator: "\n").drop { $0 != "## Topics" }
      .filter { $0.hasPrefix("- ``") && $0.hasSuffix("``") }
      .map { $0.dropFirst(4).dropLast(2) }
  }

  @Test("Types are found where they are public, and topics where they are listed")
  func finding() {
    let text = """
      @frozen public struct One<Element>: Sendable {
        public struct Inner {}
      }
      public final class Two {}
      public protocol _Three {}
      enum Four {}
      public func five() {}
      """
    #expect(Self.publicTypes(in: text) == ["One", "Two"])
    let article = "- ``None``\n\n## Topics\n\n### A\n\n- ``One``\n- <doc:Two>\n- ``Two/Inner``\n"
    #expect(Self.topics(of: article) == ["One", "Two/Inner"])
  }

  @Test(
    "Every public type is listed in an article of its module",
    arguments: [
      ("CRDTKit", "Sources/CRDTKit", 45), ("CRDTStore", "Sources/CRDTStore", 55),
      ("CRDTStoreTesting", "Sources/CRDTStore/Testing", 25),
    ])
  func topics(_ module: String, in folder: String, countMin: Int) {
    // Pages of single symbols name what is nested in them without the outer name.
    let articles = PackageFiles.texts(in: "\(folder)/\(module).docc", ".md")
      .filter { $0.path.first != "Extensions" }
    let listed = Set(articles.flatMap { Self.topics(of: $0.text) })
    var count = 0
    for (path, text) in PackageFiles.texts(in: folder, ".swift") {
      if module == "CRDTStore", path.first == "Testing" { continue }
      for type in Self.publicTypes(in: text) {
        count += 1
        guard !listed.contains(type) else { continue }
        let file = path.joined(separator: "/")
        Issue.record("\(folder)/\(file): no article of \(module).docc lists \(type)")
      }
    }
    #expect(count >= countMin)
  }
}

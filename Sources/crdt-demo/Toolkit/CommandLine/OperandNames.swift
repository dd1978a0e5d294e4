/// The operands of a command, as the help names them: one in brackets may be left out,
/// and one that ends in `...` may be there several times.
package struct OperandNames: ExpressibleByArrayLiteral {
  private let names: [String]

  package init(arrayLiteral names: String...) {
    self.names = names
  }

  /// Throws if there are too few or too many operands.
  package func check(_ words: [String]) throws(UsageError) {
    let required = names.filter { !$0.hasPrefix("[") }
    guard words.count >= required.count else {
      let name = required[words.count]
      throw UsageError("missing operand \(name.hasSuffix("...") ? String(name.dropLast(3)) : name)")
    }
    let takesMore = names.last?.hasSuffix("...") ?? false
    guard takesMore || words.count <= names.count else {
      throw UsageError("extra operand '\(words[names.count])'")
    }
  }
}

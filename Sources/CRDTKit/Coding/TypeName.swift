/// The name of the type that a type code stands for, such as `ORSet<String>`.
///
/// Errors show it beside the code. See the binary format's table of type codes.
enum TypeName {
  /// The greatest number of bytes of a code that are shown; a peer's may be long.
  private static let shownLengthMax = 16

  private static let plain: [UInt8: String] = [
    1: "Int", 2: "Int32", 3: "Int16", 4: "Int8", 5: "UInt", 6: "UInt32", 7: "UInt16", 8: "UInt8",
    9: "Double", 10: "Float", 11: "Bool", 12: "String", 15: "ReplicaID", 16: "VersionVector",
    17: "HybridTimestamp", 20: "Int128", 21: "UInt128", 22: "DocumentID", 33: "GCounter",
    34: "PNCounter", 38: "EWFlag", 39: "DWFlag", 41: "MergeableStruct", 42: "Document",
    43: "Document.Value",
  ]

  /// The generic types, with their numbers of parameters.
  private static let generic: [UInt8: (name: String, parameterCount: Int)] = [
    13: ("Array", 1), 14: ("Optional", 1), 18: ("Set", 1), 19: ("Dictionary", 2),
    30: ("Version", 1), 31: ("Delta", 1), 32: ("LWWRegister", 1), 35: ("ORSet", 1),
    36: ("GSet", 1), 37: ("MVRegister", 1), 40: ("MergeMap", 2),
  ]

  /// Returns the name and the code: `ORSet<String> (code 35 12)`.
  static func describe(_ code: [UInt8]) -> String {
    let shown = code.prefix(shownLengthMax)
    var rest = shown
    let name = name(from: &rest) + (rest.isEmpty ? "" : "…")
    let bytes = shown.map(String.init).joined(separator: " ")
    return "\(name) (code \(bytes)\(code.count > shown.count ? " and more" : ""))"
  }

  /// Reads a name; what is missing of it is "…".
  private static func name(from rest: inout ArraySlice<UInt8>) -> String {
    guard let code = rest.popFirst() else { return "…" }
    if let name = plain[code] { return name }
    guard let (name, parameterCount) = generic[code] else {
      // Nothing tells where such a code ends.
      rest = []
      return code >= 64 ? "a type of the app" : "an unknown type"
    }
    let parameters = (0..<parameterCount).map { _ in self.name(from: &rest) }
    return "\(name)<\(parameters.joined(separator: ", "))>"
  }
}

extension FieldPath {
  /// Whether a record can have a field of the path.
  package var isUsable: Bool {
    (1...Document.Value.depthMax).contains(names.count)
      && names.allSatisfy { $0.utf8.count <= Document.Value.nameLengthMax }
  }
}

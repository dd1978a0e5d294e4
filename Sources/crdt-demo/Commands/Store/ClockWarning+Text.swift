import CRDTStore

extension ClockWarning {
  /// What is odd about a store's clock, and the command that helps, as lines for people.
  func remarks(path: String) -> [String] {
    ["\(path): warning: \(sentence), with 'crdt-demo store restamp DIR'"]
  }
}

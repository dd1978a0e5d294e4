extension OutboxEffects {
  /// What is to be kept, as a commit has it.
  var localChanges: [LocalChange] {
    values.map { LocalChange(key: $0.key, value: $0.value) }
  }
}

/// What `crdt-demo replay` was asked for.
struct ReplayOptions: Equatable {
  /// The trace's path; `-` stands for the standard input.
  var file: String
  var json = false
  var form = ReplayForm.map
}

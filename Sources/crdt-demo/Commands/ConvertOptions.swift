/// What `crdt-demo convert` was asked for.
struct ConvertOptions: Equatable {
  /// The path of a document or of JSON; `-` stands for the standard input.
  var file: String
  /// Where the other form goes, unless to the standard output.
  var output: String?
}

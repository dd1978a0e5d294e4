/// Whether nodes tell what all have seen, so that it can be forgotten.
struct ScuttlebuttSettings: Equatable, Sendable {
  var collectsGarbage: Bool
}

/// The three versions of one value; `nil` where it is absent.
struct ThreeWayVersions {
  var base: Document.Value?
  var ours: Document.Value?
  var theirs: Document.Value?
}

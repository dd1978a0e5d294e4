/// What was found to be wrong.
package struct Discrepancy: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Throws the discrepancy unless the condition holds.
func check(_ condition: Bool, _ message: @autoclosure () -> String) throws(Discrepancy) {
  if !condition { throw Discrepancy(message()) }
}

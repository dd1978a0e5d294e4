/// How this executable was built.
enum Build {
  /// Whether figures mean something: optimised, and no internal checks.
  static var isFast: Bool { !isDebug && !hasInternalChecks }

  static var name: String { isDebug ? "debug" : hasInternalChecks ? "checked" : "release" }

  static func shoutUnlessFast() {
    guard !isFast else { return }
    let reason = isDebug ? "A DEBUG BUILD" : "BUILT WITH INTERNAL CHECKS"
    Output.complain(
      """
      ########################################################################
      ##  THIS IS \(reason): THE FIGURES MEAN NOTHING.
      ##  Use: swift run -c release crdt-benchmark
      ########################################################################
      """
    )
  }

  private static var isDebug: Bool {
    var isDebug = false
    assert(
      {
        isDebug = true
        return true
      }()
    )
    return isDebug
  }

  private static var hasInternalChecks: Bool {
    #if CRDT_INTERNAL_CHECKS
    true
    #else
    false
    #endif
  }
}

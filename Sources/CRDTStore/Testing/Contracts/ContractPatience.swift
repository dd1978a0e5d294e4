/// How long contract suites wait for what must happen.
///
///     let found = await ContractPatience.$limit.withValue(.seconds(60)) {
///       await PeerLinkContract.check(makeSlowLinks)
///     }
public enum ContractPatience {
  /// After how long something that hasn't happened counts as a violation.
  @TaskLocal public static var limit = Duration.seconds(5)
}

/// Asks for new credentials in an exchange with a server: once, or a server that takes
/// none would be asked for ever.
struct CredentialRenewal {
  private var isDone = false

  /// Gets new credentials where an error says that the server wants them; says whether
  /// to ask it again.
  mutating func renews(
    after error: RemoteError, for outbox: Outbox, until deadline: Duration?
  ) async -> Bool {
    guard error.kind == .unauthorized, !isDone else { return false }
    isDone = true
    let renew = outbox.options.renewCredentials
    let result = await outbox.limited(until: deadline) { () throws(RemoteError) in await renew() }
    guard case .success(true) = result else { return false }
    outbox.credentialsRenewed()
    return true
  }
}

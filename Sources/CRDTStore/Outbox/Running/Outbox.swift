import CRDTKit

/// Sends what a store has queued for a server, and takes in what changes there.
///
///     let outbox = store.outbox(over: transport)
///     let report = await outbox.sync()
///
/// An edit is queued in the commit that makes it; whether and when it is sent is
/// decided by ``OutboxMachine``. What comes from the server is written as the authority
/// that the store's options name, which saw just what it has acknowledged: so "server
/// wins", "client wins", field by field and "ask the user" are the rules of the fields.
///
/// Nothing here throws for what a server or a network does: reports say what happened,
/// and what waits is tried again. A store has one outbox; several of these share it.
public final class Outbox: Sendable {
  /// The store.
  public let store: Store
  let transport: any OutboxTransport
  let options: OutboxOptions
  let told = OutboxActivities()

  init(_ store: Store, _ transport: any OutboxTransport, _ options: OutboxOptions) {
    self.store = store
    self.transport = transport
    self.options = options
  }

  var core: StoreCore { store.core }

  var now: UInt64 { core.options.clock.milliseconds }
}

extension Store {
  /// The store's outbox, over a way to the server.
  public func outbox(
    over transport: any OutboxTransport, options: OutboxOptions = OutboxOptions()
  ) -> Outbox {
    Outbox(self, transport, options)
  }
}

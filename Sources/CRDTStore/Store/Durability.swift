/// What a commit waits for before it returns.
public enum Durability: Hashable, Sendable {
  /// It waits until the commit survives a power cut, and all commits before it, which
  /// it may have read. So does a call that commits nothing, and one that throws.
  case full
  /// It doesn't wait: the commit is on disk within about a tenth of a second, at the
  /// next full commit, or when the store is closed. A crash may take the last
  /// relaxed commits, never one and not those after it. Behind a full commit that is
  /// waiting, and while much is waiting to be written, it waits as well. What it
  /// answers may rest on relaxed commits, which readers see too, and a crash may take
  /// these; never on a full one that isn't durable.
  case relaxed
}

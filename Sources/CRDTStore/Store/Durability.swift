/// What a commit waits for before it returns.
public enum Durability: Hashable, Sendable {
  /// It waits until the commit survives a power cut.
  case full
  /// It doesn't wait: the commit is on disk within about a tenth of a second, at the
  /// next full commit, or when the store is closed. A crash may take the last
  /// relaxed commits, never one and not those after it. Behind a full commit that is
  /// waiting, and while much is waiting to be written, it waits as well.
  case relaxed
}

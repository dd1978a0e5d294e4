import CRDTKit
import CRDTStore
import CRDTTestSupport

/// One way through a backup and back: a store is written and put back, or goes on in two
/// places, and meets a peer that has seen what came after the backup.
struct RestoreScenario: CustomStringConvertible {
  /// How the backup comes to be used.
  enum Way: String, CaseIterable {
    case copiedBack = "removed, copied back"
    case overwritten = "copied over in place"
    case unpacked = "unpacked as new files"
    case backedUp = "backUp(to:), moved in"
    case copiedTwice = "copied to two places"
    case imagePutBack = "an image of the disk, put back"
    case imageTwice = "an image of the disk, used twice"

    /// Whether nothing in the folder tells that it is a copy: what was written in both places
    /// must be mended when they meet.
    var isHidden: Bool { self == .imagePutBack || self == .imageTwice }
  }

  /// By what the stores come together.
  enum Meeting: String, CaseIterable {
    case folder, session, thirdStore
  }

  let way: Way
  /// How many commits each line has after the backup.
  let commits: Int
  let isCompacted: Bool
  let meeting: Meeting

  var description: String {
    "\(way.rawValue), \(commits) commits, \(isCompacted ? "compacted, " : "")by \(meeting)"
  }

  /// How many commits are made where the backup was put back: where that can't be told, they
  /// go on beyond those of the other line.
  private var restored: Int { way.isHidden ? commits + 2 : commits }

  /// How many stores should notice that they are copies, each once.
  var copies: Int { way.isHidden ? 0 : way == .copiedTwice ? 2 : 1 }
}

extension RestoreScenario {
  /// Goes through it, and gives the place where it ended, with what went wrong.
  func run() throws -> RestoreSite {
    let site = try RestoreSite(meeting, hidesCopies: way.isHidden)
    let peer = try site.open("peer")
    var store = try site.open("store")
    try site.commit("base", 5, &store)
    site.base = store.document.version
    try site.meet([store, peer])
    var (one, two) =
      way == .copiedTwice || way == .imageTwice
      ? try copyTwice(store, site)
      : (nil, try restore(store, peer, site))
    if var live = one {
      try site.commit("live", commits, &live)
      one = live
    }
    try site.commit("restored", restored, &two)
    var stores = [one, two, peer].compactMap(\.self)
    if isCompacted {
      for store in stores {
        try store.compact()
        try store.close()
      }
      stores = try stores.map { try site.openAgain($0) }
    }
    try site.meet(stores)
    site.check(stores, base: 5, live: commits, restored: restored)
    if way.isHidden, commits > 0 { site.checkMends(stores) }
    for store in stores { try store.close() }
    if way.isHidden {
      // What was mended is read from the logs as it was.
      stores = try stores.map { try site.openAgain($0) }
      site.check(stores, base: 5, live: commits, restored: restored)
      for store in stores { try store.close() }
    }
    return site
  }

  /// Lets the store be written and be seen, and puts it back to what it was.
  private func restore(
    _ store: Store, _ peer: Store, _ site: RestoreSite
  ) throws -> Store {
    let files = StoreFiles(store.path)
    let backup = "\(site.path)/backup"
    if way == .backedUp { try store.backUp(to: backup) }
    try store.close()
    if way != .backedUp { try files.copy(to: backup) }
    var live = try site.openAgain(store)
    try site.commit("live", commits, &live)
    if isCompacted { try live.compact() }
    try site.meet([live, peer])
    try live.close()
    try files.waitForClock()
    switch way {
    case .copiedBack, .copiedTwice, .imagePutBack, .imageTwice:
      try files.remove()
      try StoreFiles(backup).copy(to: store.path)
    case .overwritten: try files.overwrite(from: backup)
    case .unpacked: try files.unpack(from: backup)
    case .backedUp:
      try files.remove()
      try StoreFiles(backup).move(to: store.path)
    }
    return try site.openCopy("store", of: live.replica)
  }

  /// Copies the store to two places; it isn't used any more itself.
  private func copyTwice(
    _ store: Store, _ site: RestoreSite
  ) throws -> (Store?, Store) {
    try store.close()
    let files = StoreFiles(store.path)
    for name in ["one", "two"] { try files.copy(to: "\(site.path)/\(name)") }
    try files.remove()
    return (
      try site.openCopy("one", of: store.replica), try site.openCopy("two", of: store.replica)
    )
  }
}

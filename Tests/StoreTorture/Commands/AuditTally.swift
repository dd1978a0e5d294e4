/// What audits have seen, added up.
struct AuditTally {
  private(set) var audits = 0
  private var commits: UInt64 = 0
  private var torn = 0
  private var beyond = 0
  private var spoiled = 0
  private(set) var unreadable = 0
  private var lastCommits: UInt64 = 0
  private var lastSite = -1

  /// Adds up what an audit printed.
  mutating func note(_ line: String, _ site: Site) {
    var facts: [Substring: Substring] = [:]
    for word in line.split(separator: " ") {
      let parts = word.split(separator: "=")
      if parts.count == 2 { facts[parts[0]] = parts[1] }
    }
    let found = facts["commits"].flatMap { UInt64($0) } ?? 0
    audits += 1
    if site.number != lastSite { (lastSite, lastCommits) = (site.number, 0) }
    if found > lastCommits { commits += found - lastCommits }
    lastCommits = found
    if (facts["torn"].flatMap { Int($0) } ?? 0) > 0 { torn += 1 }
    if found > facts["acknowledged"].flatMap({ UInt64($0) }) ?? 0 { beyond += 1 }
  }

  /// Counts a disk that the system's check has spoiled.
  mutating func noteSpoiled() {
    audits += 1
    spoiled += 1
  }

  /// Counts a disk on which the system itself can't read a file.
  mutating func noteUnreadable() {
    audits += 1
    unreadable += 1
  }

  func summary(_ what: String, _ count: Int, seconds: Double) -> String {
    "\(what): \(count), \(audits) audits, \(commits) commits, 0 lost; torn ends \(torn), "
      + "commits beyond the acknowledged \(beyond); "
      + (spoiled > 0 ? "disks spoiled by e2fsck \(spoiled); " : "")
      + (unreadable > 0 ? "unreadable before e2fsck \(unreadable); " : "")
      + "\(tenths(seconds)) s, \(tenths(Double(count) / seconds)) a second"
  }

  private func tenths(_ number: Double) -> String {
    let tenths = Int(number * 10)
    return "\(tenths / 10).\(tenths % 10)"
  }
}

import CRDTStoreTesting

/// What an explorer found.
package struct Exploration: Sendable, CustomStringConvertible {
  /// How many times the workload was run.
  package internal(set) var runCount = 0
  /// How many calls it made in the first run.
  package internal(set) var callCount = 0
  /// How many crashes those stand for: at each call every image, those that are
  /// equal to others too.
  package internal(set) var crashCount = 0
  /// How many cases were checked: images together with what had been acknowledged.
  package internal(set) var caseCount = 0
  /// How many unequal images there were.
  package var imageCount: Int { images.count }
  /// What is wrong, with all that it takes to see it again.
  package internal(set) var failures: [String] = []
  private var images: Set<UInt64> = []
  private var cases: Set<UInt64> = []

  package var description: String {
    let counts = """
      \(crashCount) crashes, \(caseCount) cases, \(imageCount) images, \(callCount) calls, \(runCount) runs, \
      \(failures.count) failures
      """
    return ([counts] + failures).joined(separator: "\n\n")
  }

  /// Counts a case: whether it is a new one.
  mutating func counts(_ image: DiskImage, _ moment: CrashMoment) -> Bool {
    images.insert(image.fingerprint)
    var hasher = Hasher()
    hasher.combine(image.fingerprint)
    hasher.combine(moment.fingerprint)
    let isNew = cases.insert(UInt64(bitPattern: Int64(hasher.finalize()))).inserted
    if isNew { caseCount += 1 }
    return isNew
  }
}

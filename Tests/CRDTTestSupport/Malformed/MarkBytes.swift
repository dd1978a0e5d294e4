package import CRDTKit

/// How many bytes the marks of a whole state of a version take: they follow from the version,
/// not from what the state holds.
package func markBytes(of version: VersionVector) -> Int {
  var count = 0
  for entry in version {
    FingerprintHistory.forEachKept(from: 1, before: entry.counter) { _ in count += 1 }
  }
  return 4 * count
}

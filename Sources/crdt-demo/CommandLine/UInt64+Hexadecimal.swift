extension UInt64 {
  /// The number as 16 hexadecimal digits: what digests are shown as.
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

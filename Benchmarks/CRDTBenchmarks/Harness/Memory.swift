#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Darwin)
@preconcurrency import Darwin
#endif

/// The bytes that are allocated and not freed, as the allocator counts them.
enum Memory {
  /// How many bytes what `make` gives keeps allocated; `nil` where the
  /// allocator can't be asked.
  static func bytes<Value>(keptBy make: () throws -> Value) rethrows -> Int? {
    guard let before = allocated() else { return nil }
    let value = try make()
    let after = allocated()
    blackHole(value)
    return after.map { $0 - before }
  }

  #if canImport(Glibc)
  private typealias WriteInfo =
    @convention(c) (_ options: CInt, _ stream: UnsafeMutablePointer<FILE>?) -> CInt

  /// What `malloc_info` says: all that was taken from the system, less what
  /// lies free. (`mallinfo2` is not in Swift's module of the C library.)
  private static func allocated() -> Int? {
    guard let symbol = dlsym(nil, "malloc_info") else { return nil }
    let writeInfo = unsafeBitCast(symbol, to: WriteInfo.self)
    var text: UnsafeMutablePointer<CChar>?
    var size = 0
    guard let stream = open_memstream(&text, &size) else { return nil }
    defer { free(text) }
    let status = writeInfo(0, stream)
    fclose(stream)
    guard status == 0, let text else { return nil }
    return allocated(in: String(cString: text))
  }

  /// The totals stand last in the report, after those of the single arenas.
  private static func allocated(in report: String) -> Int? {
    func last(_ mark: String) -> Int? {
      let line = report.split(separator: "\n").last { $0.contains(mark) }
      return line?.split(separator: "size=\"").last.flatMap { Int($0.prefix { $0 != "\"" }) }
    }
    guard let current = last("<system type=\"current\""),
      let mapped = last("<total type=\"mmap\""),
      let fast = last("<total type=\"fast\""),
      let rest = last("<total type=\"rest\"")
    else { return nil }
    return current + mapped - fast - rest
  }
  #elseif canImport(Darwin)
  private static func allocated() -> Int? {
    var statistics = malloc_statistics_t()
    malloc_zone_statistics(nil, &statistics)
    return Int(statistics.size_in_use)
  }
  #else
  private static func allocated() -> Int? { nil }
  #endif
}

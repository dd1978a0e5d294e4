#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writes a line to the standard error, for counts that are to be seen in every run.
func reportCount(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(2, bytes, bytes.count)
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Threads for blocking disk access, which must not run on the threads of Swift's tasks.
enum StoreThread {
  /// Runs a body on a new thread.
  ///
  /// Returns whether a thread was available.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Body(run: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Decoding is recursive: use the same stack size on all systems.
    pthread_attr_setstacksize(&attributes, 1 << 21)
    defer { pthread_attr_destroy(&attributes) }
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let result = pthread_create(&thread, &attributes, startRoutine, box.toOpaque())
    if result != 0 { box.release() }
    return result == 0
  }

  /// Runs a body on a new thread, and waits for it without blocking the calling thread.
  nonisolated(nonsending) static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let result = await Handover<Result<Value, StoreError>>.wait { handover in
      let work = { @Sendable in
        let result: Result<Value, StoreError>
        do throws(StoreError) { result = .success(try body()) } catch { result = .failure(error) }
        handover.resume(returning: result)
      }
      // If the system has no thread left, a late answer is better than none.
      if !start(work) { work() }
    }
    return try result.get()
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  #if canImport(Darwin)
  private static let startRoutine:
    @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
      Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run()
      return nil
    }
  #else
  private static let startRoutine:
    @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { body in
      if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
      return nil
    }
  #endif
}

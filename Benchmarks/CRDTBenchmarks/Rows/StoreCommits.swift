import CRDTKit
import CRDTStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

extension Benchmark {
  /// How many commits a run makes: fewer than elements, since each waits for the disk.
  private var commitCount: Int { max(64, n / 2_000) }
  private var relaxedCount: Int { max(1_000, n / 10) }

  func addStoreCommitBenchmarks() throws {
    let bytes = try frameSize()
    try measure(
      Title("store.commit.full", n: n, against: "write + fdatasync", bar: .ratio(1.25)),
      units: commitCount
    ) { (try blockingCommits(), bareWrites(of: bytes, count: commitCount)) }
    try measure(
      Title("store.commit.full.task", n: n, against: "write + fdatasync", bar: .ratio(1.25)),
      units: commitCount
    ) { (try taskCommits(writers: 1), bareWrites(of: bytes, count: commitCount)) }
    try measure(
      Title("store.commit.full.64", n: n, against: "one writer", bar: .ratio(0.05)),
      units: commitCount
    ) { (try taskCommits(writers: 64, times: 32), try blockingCommits()) }
    try measure(
      Title("store.commit.full.64.bare", n: n, against: "64 frames, fdatasync"),
      units: commitCount
    ) {
      (
        try taskCommits(writers: 64, times: 32),
        bareWrites(of: bytes * 64, count: commitCount * 32 / 64, times: 32)
      )
    }
    try measure(
      Title("store.commit.relaxed", n: n, against: "the edit in memory", bar: .difference(3_000)),
      units: relaxedCount
    ) { (try relaxedCommits(), editsInMemory()) }
  }

  /// How many bytes a commit of one field takes in the log, with its frame.
  private func frameSize() throws -> Int {
    let folder = try StoreFolder()
    let store = try folder.open()
    for number in 0..<100 { try store.commit(number) }
    return store.statistics.batchBytesWritten / 100
  }

  private func blockingCommits() throws -> Workload {
    let count = commitCount
    return Workload(
      countsWaits: true,
      prepare: {
        let folder = try StoreFolder()
        return (folder, try folder.open())
      },
      run: { state in for number in 0..<count { try state.1.commit(number) } })
  }

  private func taskCommits(writers: Int, times: Int = 1) throws -> Workload {
    let count = commitCount * times / writers
    return Workload(
      countsWaits: true,
      repetitions: times,
      prepare: {
        let folder = try StoreFolder()
        return (folder, try folder.open())
      },
      run: { state in
        let store = state.1
        try StoreFolder.wait {
          await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
              group.addTask {
                for number in 0..<count { try await store.commit(writer * count + number) }
              }
            }
          }
        }
      })
  }

  /// What a log without a store would do: each commit written and made durable.
  private func bareWrites(of size: Int, count: Int, times: Int = 1) -> Workload {
    Workload(
      countsWaits: true,
      repetitions: times,
      prepare: {
        let folder = try StoreFolder()
        return (folder, open(folder.path + "/log", O_RDWR | O_CREAT, 0o600))
      },
      run: { state in
        let bytes = [UInt8](repeating: 7, count: size)
        for number in 0..<count {
          guard pwrite(state.1, bytes, size, off_t(number * size)) == size,
            fdatasync(state.1) == 0
          else { throw UnequalOutcome(name: "write + fdatasync", ours: 0, baseline: 1) }
        }
        close(state.1)
      })
  }

  private func relaxedCommits() throws -> Workload {
    let count = relaxedCount
    return Workload(
      countsWaits: true,
      prepare: {
        let folder = try StoreFolder()
        return (folder, try folder.open())
      },
      run: { state in
        for number in 0..<count { try state.1.commit(number, .relaxed) }
      })
  }

  private func editsInMemory() -> Workload {
    let count = relaxedCount
    return Workload(
      countsWaits: true,
      prepare: { (Document(), HybridLogicalClock(replica: .author)) },
      run: { state in
        let wall = SystemClock()
        for number in 0..<count {
          state.0.edit(at: state.1.now(wallMilliseconds: wall.milliseconds)) {
            $0.writeField(number)
          }
        }
      })
  }
}

extension Store {
  /// Commits one field of one of a thousand records.
  fileprivate func commit(_ number: Int, _ durability: Store.Durability = .full) throws {
    try edit(durability) { $0.writeField(number) }
  }
}

extension Store {
  fileprivate func commit(_ number: Int) async throws {
    try await edit { $0.writeField(number) }
  }
}

extension Document.Editor {
  /// Writes one field of one of a thousand records.
  mutating func writeField(_ number: Int) {
    let id = "r" + Elements.padded(number * 7_919 % 1_000, 6)
    set("title", of: id, in: Record.collection, to: .string(Elements.padded(number, 8)))
  }
}

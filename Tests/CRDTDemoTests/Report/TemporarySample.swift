import Testing
@testable import crdt_demo
@Suite("temporary sample") struct TemporarySample {
  @Test func make() throws {
    for (name, run) in [
      ("small", SampleRun(replicas: 7, events: 520, seed: 4)),
      ("big", SampleRun(replicas: 1_000, events: 200_000, seed: 5)),
    ] {
      let writer = try TraceWriter(path: "/tmp/rt/\(name).jsonl")
      for event in run.events { writer.write(event) }
      try writer.finish()
    }
  }
}

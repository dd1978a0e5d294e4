import CRDTKit
import CRDTStore
import Foundation
import Testing

@Suite("Foundation")
struct LocalizedErrorTests {
  @Test("shows what is wrong, where and what to do, as the errors say it")
  func descriptions() {
    let system = SystemError("open", code: 2)
    let errors: [any Error] = [
      StoreError.notFound(path: "/notes"), RecordError.readOnly(collection: "notes"), system,
      RemoteError(.timeout, "late"), PeerLinkError.closed,
      Outbox.Failure(.rejected, message: "no"), SyncFailure.damaged,
      DeltaError.fork(ReplicaID(1)), DecodingFailure(.trailingBytes, at: 3),
    ]
    for error in errors { #expect(error.localizedDescription == "\(error)") }
  }
}

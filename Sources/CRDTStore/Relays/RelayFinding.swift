public import CRDTKit

extension FolderRelay {
  /// Something in a relay's folder that the store did not receive or can't agree with.
  ///
  /// The store leaves it as it is.
  public struct Finding: Hashable, Sendable {
    /// What is wrong with it.
    public enum Reason: Hashable, Sendable {
      /// It is not a relay's file or folder.
      case unknown
      /// It has not arrived completely yet.
      case incomplete
      /// It isn't as it was written.
      case damaged(String)
      /// It is sealed with another key, or forged.
      case sealed
      /// It isn't sealed, but ``FolderRelay/Options/sealing`` requires all files to be.
      case notSealed
      /// It belongs to another document, which was created independently of the store's.
      case otherDocument(DocumentID)
      /// The system refuses to read it.
      case unreadable(SystemError)
      /// The store refuses it.
      case refused(StoreError)
      /// Its writer had seen the same events as this store, but held other contents.
      ///
      /// See ``SyncFailure/differentContents``.
      case differentContents
    }

    /// The path of the file or folder.
    public var path: String
    /// What is wrong with it.
    public var reason: Reason

    /// Creates a finding about a path.
    public init(path: String, reason: Reason) {
      self.path = path
      self.reason = reason
    }
  }
}

extension FolderRelay.Finding: CustomStringConvertible {
  /// A sentence that says what was found, and where.
  public var description: String {
    let file = "'\(path.visible)'"
    return switch reason {
    case .unknown: "\(file) is no file of a relay"
    case .incomplete: "\(file) has not come wholly yet"
    case .damaged(let reason): "\(file) is damaged: \(reason.visible)"
    case .sealed: "\(file) was sealed with another key, or is forged"
    case .notSealed: "\(file) is not sealed"
    case .otherDocument(let document):
      "\(file) is of another document, \(document): join the two if they belong together"
    case .unreadable(let error): "\(file) can't be read: \(error)"
    case .refused(let error): "\(file) was not taken in: \(error)"
    case .differentContents:
      "\(file) was written by a store that has seen the same events and holds different"
        + " contents; let one of them go on with the other's whole document"
    }
  }
}

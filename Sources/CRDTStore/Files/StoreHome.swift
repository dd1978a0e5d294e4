import CRDTKit

/// What tells a store's folder from every copy of it.
///
/// It is made of the identity of `LOCK`, a file that is made with the store and never changed
/// again, and of the number of the folder, which is another in a copy that is made of hard
/// links. The device is left out: systems number devices anew when they start. So is the time
/// at which `LOCK` was made: it is that of its last change, and not every system tells it, so
/// that the same folder would look like another from there.
struct StoreHome: Equatable {
  /// The number that the manifest, snapshots and the log hold.
  ///
  /// Its highest bit is set, so that it is no inode's number, of which all earlier versions of
  /// the package made their homes; 0 stands for none, where there is no `LOCK`.
  let value: UInt64
  /// The home that earlier versions made of the same folder: the number of `LOCK`.
  let earlierValue: UInt64

  /// The home of a folder whose files are not to be written.
  static let none = StoreHome(value: 0, earlierValue: 0)

  /// Where a folder is, seen from the home that its files hold.
  enum Place {
    /// Where they were written.
    case home
    /// Where an earlier version wrote them, as far as it could tell.
    case earlierHome
    /// Elsewhere: the folder is a copy, or was changed from outside.
    case elsewhere
  }

  /// Says whether files that hold a home were written here.
  func place(ofHome recorded: UInt64) -> Place {
    if recorded == value { return .home }
    return recorded == earlierValue ? .earlierHome : .elsewhere
  }
}

extension StoreHome {
  /// The home of a folder with its `LOCK`.
  init(lock: FileIdentity, folder: FileIdentity) {
    var fields = ByteWriter()
    for byte in "home".utf8 { fields.write(byte) }
    fields.write(fixed: lock.number)
    fields.write(fixed: UInt64(bitPattern: lock.changeSeconds))
    fields.write(fixed: UInt64(bitPattern: lock.changeNanoseconds))
    fields.write(fixed: folder.number)
    self.init(value: SHA256.prefix(of: fields.finish()) | 1 << 63, earlierValue: lock.number)
  }
}

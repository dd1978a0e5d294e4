package import CRDTStore

/// A file system that does what another one does, but for the calls that it has itself.
package protocol ForwardingFileSystem: FileSystem {
  associatedtype Base: FileSystem

  var base: Base { get }
}

extension ForwardingFileSystem {
  package func synchronize(_ file: OpenFile) throws(SystemError) {
    try base.synchronize(file)
  }

  package func openFolder(at path: String) throws(SystemError) -> OpenFile {
    try base.openFolder(at: path)
  }

  package func makeFolder(at path: String) throws(SystemError) {
    try base.makeFolder(at: path)
  }

  package func open(
    _ name: String, in folder: OpenFile, for use: OpenFile.Use
  ) throws(SystemError) -> OpenFile {
    try base.open(name, in: folder, for: use)
  }

  package func makeFolder(_ name: String, in folder: OpenFile) throws(SystemError) {
    try base.makeFolder(name, in: folder)
  }

  package func close(_ file: OpenFile) {
    base.close(file)
  }

  package func size(of file: OpenFile) throws(SystemError) -> Int {
    try base.size(of: file)
  }

  package func identity(of file: OpenFile) throws(SystemError) -> FileIdentity {
    try base.identity(of: file)
  }

  package func read(
    _ file: OpenFile, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try base.read(file, into: bytes, at: offset)
  }

  package func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try base.write(file, bytes, at: offset)
  }

  package func truncate(_ file: OpenFile, to size: Int) throws(SystemError) {
    try base.truncate(file, to: size)
  }

  package func synchronizeNames(in folder: OpenFile) throws(SystemError) {
    try base.synchronizeNames(in: folder)
  }

  package func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(SystemError) {
    try base.rename(old, in: source, to: new, in: target)
  }

  package func remove(_ name: String, in folder: OpenFile) throws(SystemError) {
    try base.remove(name, in: folder)
  }

  package func names(in folder: OpenFile) throws(SystemError) -> [String] {
    try base.names(in: folder)
  }

  package func lock(_ file: OpenFile, exclusively: Bool) throws(SystemError) -> Bool {
    try base.lock(file, exclusively: exclusively)
  }

  package func freeBytes(in folder: OpenFile) throws(SystemError) -> Int {
    try base.freeBytes(in: folder)
  }
}

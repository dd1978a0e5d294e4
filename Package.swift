// swift-tools-version: 6.2

import PackageDescription

var settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
var testSettings = settings
// For the package's own tests: each table checks its invariants after each change. In a
// release build the tests themselves, which would take longest to optimize, stay as written.
if Context.environment["CRDT_INTERNAL_CHECKS"] != nil {
  settings.append(.define("CRDT_INTERNAL_CHECKS"))
  testSettings += [.define("CRDT_INTERNAL_CHECKS"), .unsafeFlags(["-Onone"])]
}

let package = Package(
  name: "crdt-kit",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "CRDTKit", targets: ["CRDTKit"]),
    .library(name: "CRDTStore", targets: ["CRDTStore"]),
    .library(name: "CRDTStoreTesting", targets: ["CRDTStoreTesting"]),
    .executable(name: "crdt-demo", targets: ["crdt-demo"]),
  ],
  targets: [
    .target(name: "CRDTKit", swiftSettings: settings),
    .target(
      name: "CRDTStore", dependencies: ["CRDTKit"], exclude: ["Testing"], swiftSettings: settings
    ),
    .target(
      name: "Toolkit", dependencies: ["CRDTKit"], path: "Sources/crdt-demo/Toolkit",
      swiftSettings: settings
    ),
    .target(
      name: "CRDTSimulator",
      dependencies: ["CRDTKit", "CRDTStore", "CRDTStoreTesting", "Toolkit"],
      path: "Sources/crdt-demo/Simulator", swiftSettings: settings
    ),
    .executableTarget(
      name: "crdt-demo",
      dependencies: ["CRDTKit", "CRDTStore", "CRDTStoreTesting", "CRDTSimulator", "Toolkit"],
      path: "Sources/crdt-demo/Program", swiftSettings: settings
    ),
    .executableTarget(
      name: "crdt-benchmark",
      dependencies: ["CRDTKit", "CRDTStore", "CRDTStoreTesting", "Toolkit"],
      path: "Benchmarks/CRDTBenchmarks",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "crdt-torture",
      dependencies: ["CRDTKit", "CRDTStore", "CRDTStoreTesting", "CRDTTestSupport", "Toolkit"],
      path: "Tests/StoreTorture",
      swiftSettings: settings
    ),
    .target(
      name: "CRDTStoreTesting",
      dependencies: ["CRDTKit", "CRDTStore"],
      path: "Sources/CRDTStore/Testing",
      swiftSettings: settings
    ),
    .target(
      name: "CRDTTestSupport",
      dependencies: ["CRDTKit", "CRDTStore", "CRDTStoreTesting", "Toolkit"],
      path: "Tests/CRDTTestSupport",
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "CRDTKitTests",
      dependencies: ["CRDTKit", "CRDTStoreTesting", "CRDTTestSupport", "Toolkit"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "CRDTStoreTests",
      dependencies: ["CRDTKit", "CRDTStore", "CRDTStoreTesting", "CRDTTestSupport"],
      swiftSettings: testSettings
    ),
    // An app in which types belong to the main actor, as Xcode makes new ones.
    .testTarget(
      name: "CRDTIsolationTests",
      dependencies: ["CRDTKit", "CRDTStore", "CRDTTestSupport"],
      swiftSettings: testSettings + [.defaultIsolation(MainActor.self)]
    ),
    .testTarget(
      name: "CRDTDemoTests",
      dependencies: [
        "CRDTKit", "CRDTStore", "CRDTStoreTesting", "CRDTSimulator", "CRDTTestSupport", "Toolkit",
        "crdt-demo",
      ],
      swiftSettings: testSettings
    ),
  ],
  swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "crdt-kit",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "CRDTKit", targets: ["CRDTKit"]),
    .executable(name: "crdt-demo", targets: ["crdt-demo"]),
  ],
  targets: [
    .target(name: "CRDTKit", swiftSettings: settings),
    .executableTarget(name: "crdt-demo", dependencies: ["CRDTKit"], swiftSettings: settings),
    .executableTarget(
      name: "crdt-benchmark",
      dependencies: ["CRDTKit"],
      path: "Benchmarks/CRDTBenchmarks",
      swiftSettings: settings
    ),
    .target(
      name: "CRDTTestSupport",
      dependencies: ["CRDTKit"],
      path: "Tests/CRDTTestSupport",
      swiftSettings: settings
    ),
    .testTarget(
      name: "CRDTKitTests",
      dependencies: ["CRDTKit", "CRDTTestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CRDTDemoTests",
      dependencies: ["CRDTKit", "crdt-demo", "CRDTTestSupport"],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)

#pragma once

// CMakeLists.txt reads the three numbers from here; nothing else repeats them.
#define ASHLAR_VERSION_MAJOR 0
#define ASHLAR_VERSION_MINOR 1
#define ASHLAR_VERSION_PATCH 0

/// One number that grows with every release: 0.1.0 is 100, 1.2.3 is 10203.
#define ASHLAR_VERSION (ASHLAR_VERSION_MAJOR * 10000 + ASHLAR_VERSION_MINOR * 100 + ASHLAR_VERSION_PATCH)

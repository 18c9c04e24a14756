package hashedwheel

import "unsafe"

// A Timeout is one cache line on 64-bit machines: this does not compile if it
// grows.
const _ = uint(64 - unsafe.Sizeof(Timeout{}))

//go:build !linux

package cli

import "math"

// addressSpace returns how many bytes a limit of the address space leaves.
func addressSpace() uint64 { return math.MaxUint64 }

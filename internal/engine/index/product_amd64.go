package index

import "golang.org/x/sys/cpu"

// These say whether the processor has what a kernel needs.
var (
	hasKernel  = cpu.X86.HasAVX
	hasKernel8 = cpu.X86.HasAVX2
)

// kernel writes the products of a row with n rows of a matrix, of which ids has the
// numbers, in the order of productGo. Rows have stride elements, a multiple of lanes
// above 0; n is above 0. It checks no bounds.
//
//go:noescape
func kernel(row, matrix *float32, stride int, ids *uint32, n int, out *float32)

// kernel8 is kernel for rows in steps, see [coarse].
//
//go:noescape
func kernel8(row *int16, matrix *int8, stride int, ids *uint32, n int, out *int32)

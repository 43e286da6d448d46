//go:build !amd64

package index

const hasKernel = false

func kernel(_, _ *float32, _ int, _ *uint32, _ int, _ *float32) {}

//go:build !amd64

package index

const hasKernel, hasKernel8 = false, false

func kernel(_, _ *float32, _ int, _ *uint32, _ int, _ *float32) {}

func kernel8(_ *int16, _ *int8, _ int, _ *uint32, _ int, _ *int32) {}

package themes

// wide is whether the processor has AVX2 and FMA and the system keeps their
// registers.
var wide = hasWide()

func hasWide() bool {
	const (
		fma     = 1 << 12
		osxsave = 1 << 27
		avx     = 1 << 28
		avx2    = 1 << 5
		states  = 1<<1 | 1<<2 // of the registers xmm and ymm
	)
	top, _, _, _ := cpuid(0, 0)
	if top < 7 {
		return false
	}
	_, _, features, _ := cpuid(1, 0)
	if features&(fma|osxsave|avx) != fma|osxsave|avx || xgetbv()&states != states {
		return false
	}
	_, more, _, _ := cpuid(7, 0)
	return more&avx2 != 0
}

// dots2x4 writes to out the products of each of two rows at a with each of
// four rows at b. A row has stride elements, a multiple of 8.
func dots2x4(a, b []float32, stride int, out *[8]float32) {
	if !wide || stride == 0 {
		dots2x4Go(a, b, stride, out)
		return
	}
	_, _ = a[2*stride-1], b[4*stride-1]
	dots2x4AVX(&a[0], &b[0], 4*stride, stride/8, out)
}

//go:noescape
func dots2x4AVX(a, b *float32, stride, steps int, out *[8]float32)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() uint32

package vector

// Wide reports whether the processor has AVX2 and FMA and the system keeps their
// registers.
func Wide() bool { return wide }

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

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() uint32

package wire

// Cut returns how many of the first blocks stay within k and a token budget, given
// their sizes. The first block that does not fit is dropped with all later ones. If
// that is the very first, it stays and room is the number of tokens to cut it to,
// else 0. A budget of 0 tokens is unlimited.
func Cut(sizes []int, k, tokens int) (kept, room int) {
	sum := 0
	for i, size := range sizes {
		sum += size
		switch {
		case i == k:
			return i, 0
		case tokens > 0 && sum > tokens && i == 0:
			return 1, tokens
		case tokens > 0 && sum > tokens:
			return i, 0
		}
	}
	return len(sizes), 0
}

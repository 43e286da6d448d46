package golden

import "testing"

func TestWordsDiffer(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"worse by 9.76 (exit 4)", "worse by 9.76, exit code 4", true},
		{"1,000 of 2 runs", "1,000 of 2 records", true},
		{"worse by 9.76", "worse by 9.77", false},
		{"12 right, 3 wrong", "3 wrong, 12 right", false},
		{"exit 4", "exit", false},
	} {
		if got := wordsDiffer(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

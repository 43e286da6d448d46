package themes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKernelDoesNotMatter builds the same hierarchy without the kernel of this
// processor.
func TestKernelDoesNotMatter(t *testing.T) {
	if !wide {
		t.Skip("this processor has no kernel of its own")
	}
	defer func() { wide = true }()
	vectors := generated(300, 24, 30, .9, 5)
	for _, profile := range []Profile{Released, Paper} {
		o := Defaults()
		o.Profile = profile
		var built [2]*Hierarchy
		for i, kernel := range []bool{true, false} {
			wide = kernel
			h, err := Build(vectors, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			built[i] = h
		}
		if diff := cmp.Diff(built[0], built[1]); diff != "" {
			t.Errorf("%s, with and without (-with +without):\n%s", profile, diff)
		}
	}
}

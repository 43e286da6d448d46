package pytext_test

import (
	"testing"

	"recallbench/internal/text/pytext"
)

func TestIsCommon(t *testing.T) {
	for low, want := range map[string]bool{"place": true, "sister": true, "restaurant": true, "rachel": false, "cambridge": false, "tuesday": false, "": false} {
		if got := pytext.IsCommon(low); got != want {
			t.Errorf("IsCommon(%q) is %v, want %v", low, got, want)
		}
	}
}

package metrics

import "testing"

func TestUCS(t *testing.T) {
	if v := UCSSpec.Score(Item{Prediction: "blue", Gold: "blue"}); len(v) != 1 || v[0].Defined {
		t.Errorf("nobody rated the answer, and it has %v", v)
	}
	if v := UCSSpec.Score(Item{Failed: true, Rating: new(1.5)}); len(v) != 1 || v[0] != Def(1.5) {
		t.Errorf("a failed request was rated 1.5, and it has %v", v)
	}
}

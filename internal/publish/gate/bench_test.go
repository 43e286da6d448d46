package gate_test

import (
	"fmt"
	"testing"

	"recallbench/internal/publish/gate"
)

// BenchmarkCheck holds a run of 20,000 requests against a baseline by the default
// rules.
func BenchmarkCheck(b *testing.B) {
	var methods []string
	for i := range 10 {
		methods = append(methods, fmt.Sprint("method", i))
	}
	run := fake{id: "new", methods: methods, metrics: []string{"f1", "recall", "tokens"}, n: 2000, value: moved(1, -0.01, 0.1)}.subject()
	base := fake{id: "base", methods: methods, metrics: []string{"f1", "recall", "tokens"}, n: 2000, value: plain}.subject()
	for b.Loop() {
		if _, err := gate.Check(gate.Default(), run, &base, options()); err != nil {
			b.Fatal(err)
		}
	}
}

package metrics_test

import (
	"fmt"

	"recallbench/metrics"
	"recallbench/metrics/suite"
)

// The same answer under three dialects of F1.
func Example() {
	const pred, gold = `"The Red House", a self-portrait`, "Red House, self portrait"
	fmt.Printf("%.3f\n", metrics.F1Mem0(pred, gold))
	fmt.Printf("%.3f\n", metrics.F1MemoryOS(pred, gold))
	fmt.Printf("%.3f\n", metrics.F1LoCoMo(pred, gold, "4"))
	// Output:
	// 0.222
	// 0.800
	// 0.571
}

// A metric of the harness scores an item and names its numbers.
func ExampleSpec() {
	spec, err := suite.Find("evidence-recall@2")
	if err != nil {
		fmt.Println(err)
		return
	}
	item := metrics.Item{
		GoldEvidence: []string{"D1:3", "D4:7"},
		Blocks: []metrics.Block{
			{Sources: []string{"D1:2", "D1:3"}},
			{Sources: []string{"D9:1"}},
			{Sources: []string{"D4:7"}},
		},
	}
	for i, v := range spec.Score(item) {
		fmt.Println(spec.Columns[i].Name, v.X)
	}
	// Output:
	// evidence-recall@2 0.5
}

package pytext_test

import (
	"fmt"

	"recallbench/internal/text/pytext"
)

func ExampleAppendWords() {
	fmt.Printf("%q\n", pytext.AppendWords(nil, `She doesn't like "tea".`))
	// Output: ["She" "does" "n't" "like" "``" "tea" "''" "."]
}

func ExampleStem() {
	fmt.Println(pytext.Stem("relations"), pytext.Stem("running"))
	// Output: relat run
}

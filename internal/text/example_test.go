package text_test

import (
	"fmt"

	"recallbench/internal/text"
)

func ExampleAppendWords() {
	fmt.Printf("%q\n", text.AppendWords(nil, `She doesn't like "tea".`))
	// Output: ["She" "does" "n't" "like" "``" "tea" "''" "."]
}

func ExampleStem() {
	fmt.Println(text.Stem("relations"), text.Stem("running"))
	// Output: relat run
}

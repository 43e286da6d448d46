package lightmem

import (
	"io/fs"

	"recallbench/internal/door/prompt/clone"
)

const (
	locomoPrompts = "experiments/locomo/prompts.py"
	memoryPrompts = "src/lightmem/memory/prompts.py"
)

// authors says where the authors' code has its prompts: those of its LoCoMo run.
// What the user's message holds is laid out as the authors' code does.
var authors = clone.Source{
	Repository: "https://github.com/zjunlp/LightMem",
	Commit:     "8fc9a91",
	Files: map[string]string{
		locomoPrompts: "b4f1dd70d05db9adc16bc5199e827f7668f56ad91ef4d0a7a683b5d01c8d9f06",
		memoryPrompts: "973a818117496981fecd8a6dde46484fce1568a2cf2777897e27c6dea7b70a0b",
	},
	Prompts: map[string]clone.Prompt{
		extract: {
			System: clone.Text{File: locomoPrompts, After: []string{"METADATA_GENERATE_PROMPT_locomo = "}},
			User: clone.Text{Then: "{{range .Topics}}--- Topic {{.Number}} ---\n{{range .Lines}}" +
				"{{if .Stamp}}[{{.Stamp}}] {{end}}{{.Number}}.{{or .Speaker \"user\"}}: {{.Said}}\n{{end}}{{end}}"},
		},
		revise: {
			System: clone.Text{File: memoryPrompts, After: []string{"UPDATE_PROMPT = "}},
			User:   clone.Text{Then: "Target memory:{{.Fact}}\nCandidate memories:\n{{range .Later}}- {{.}}\n{{end}}"},
		},
	},
}

func cloned(base string, options any) (fs.FS, error) {
	return authors.Templates(base, options.(Options).Prompts)
}

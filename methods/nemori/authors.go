package nemori

import (
	"io/fs"

	"recallbench/internal/door/prompt/clone"
)

const (
	promptsFile = "src/generation/prompts.py"
	engineFile  = "src/generation/prediction_correction_engine.py"
)

// authors says where the authors' code has its prompts.
var authors = clone.Source{
	Repository: "https://github.com/nemori-ai/nemori",
	Commit:     "ec47152",
	Files: map[string]string{
		promptsFile: "f4c4121aa2ec6662dd585c418a9032f81a046ef86c415cb28968bde8c80aba13",
		engineFile:  "bb93f92e20cb7af7b340ac6e1c00ebfcb095e1c864911abe01d1347f0be52fcd",
	},
	Prompts: map[string]clone.Prompt{
		"boundary": named("BOUNDARY_DETECTION_PROMPT", map[string]string{"conversation_history": "{{.History}}", "new_messages": "{{.Next}}"}),
		"episode":  named("EPISODE_GENERATION_PROMPT", map[string]string{"conversation": "{{.Messages}}", "boundary_reason": "{{.Why}}"}),
		"predict": named("PREDICTION_PROMPT", map[string]string{
			"episode_title": "{{.Title}}", "knowledge_statements": "{{range $i, $k := .Known}}{{if $i}}\n{{end}}- {{$k}}{{end}}",
		}),
		"gaps": named("EXTRACT_KNOWLEDGE_FROM_COMPARISON_PROMPT", map[string]string{
			"original_messages": "{{.Messages}}", "predicted_episode": "{{.Prediction}}",
		}),
		"facts": {User: clone.Text{
			File: engineFile, After: []string{"def _cold_start_extraction(", "prompt = "},
			Fields: map[string]string{
				"episode.title": "{{.Title}}", "episode.content": "{{.Content}}", `episode.timestamp.strftime("%Y-%m-%d")`: "{{.Time}}",
			},
		}},
	},
}

// named is a prompt that stands in a variable.
func named(variable string, fields map[string]string) clone.Prompt {
	return clone.Prompt{User: clone.Text{File: promptsFile, After: []string{variable + " = "}, Format: true, Fields: fields}}
}

func cloned(base string, options any) (fs.FS, error) {
	return authors.Templates(base, options.(Options).Prompts)
}

package amem

import (
	"io/fs"

	"recallbench/internal/door/prompt/clone"
)

// authors says where the authors' code has its prompts.
var authors = clone.Source{
	Repository: "https://github.com/WujiangXu/A-mem",
	Commit:     "d81fb22",
	Files: map[string]string{
		"memory_layer.py":  "9e0672794f92b9ada36206fb070c977e5fbf745b3faa78811d3f40e2ff85f4aa",
		"test_advanced.py": "e6d2178ebe92ec69eb403dfb8e000e8e581eb91ec343265d484ee4d3c05753dd",
	},
	Prompts: map[string]clone.Prompt{
		describe: {System: inJSON, User: clone.Text{
			File: "memory_layer.py", After: []string{"def analyze_content(", "prompt = "}, Then: "{{.Content}}",
		}},
		evolve: {System: inJSON, User: clone.Text{
			File: "memory_layer.py", After: []string{"self.evolution_system_prompt = "}, Format: true,
			Fields: map[string]string{
				"context": "{{.Context}}", "content": "{{.Content}}", "keywords": "{{.Keywords.Python}}",
				"neighbor_number": "{{len .Neighbours}}",
				"nearest_neighbors_memories": "{{range .Neighbours}}memory index:{{.Index}}\t talk start time:{{.Time}}\t memory content: {{.Content}}" +
					"\t memory context: {{.Context}}\t memory keywords: {{.Keywords.Python}}\t memory tags: {{.Tags.Python}}\n{{end}}",
			},
		}},
		keywords: {System: inJSON, User: clone.Text{
			File: "test_advanced.py", After: []string{"def generate_query_llm(", "prompt = "},
			Fields: map[string]string{"question": "{{.Question}}"},
		}},
	},
}

// inJSON is the system message of all calls.
var inJSON = clone.Text{File: "memory_layer.py", After: []string{"class OpenAIController", `"role": "system", "content": `}}

func cloned(base string, options any) (fs.FS, error) {
	return authors.Templates(base, options.(Options).Prompts)
}

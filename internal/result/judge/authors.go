package judge

import "recallbench/internal/door/prompt/clone"

// Fields of a template that show texts as they are: the authors' prompts quote
// nothing.
const (
	plainQuestion = "{{.Plain.Question}}"
	plainGold     = "{{.Plain.Gold}}"
	plainAnswer   = "{{.Plain.Answer}}"
)

// longMemEval has five strings of one name; its text for the three types that share
// one is the first.
var longMemEval = func() *clone.Source {
	const file = "src/evaluation/evaluate_qa.py"
	template := func(nth int, sum string) clone.Text {
		t := clone.Text{File: file, SHA256: sum, Format: true, Slots: []string{plainQuestion, plainGold, plainAnswer}}
		for range nth {
			t.After = append(t.After, "template = ")
		}
		return t
	}
	last := template(5, "5c0b365a1e1d06db36377c735432b56e122ca3c428f89faf61d43a0d5a7e050b")
	last.Slots = []string{plainQuestion, "{{.Plain.Explanation}}", plainAnswer}
	prompts := map[string]clone.Prompt{abstention: {User: last}}
	shared := template(1, "fba020ba3d57982efdc9a937c1c01f897b789a608c7f88e60244121f6505e5bc")
	for _, kind := range types {
		prompts[typed+"-"+kind] = clone.Prompt{User: shared}
	}
	prompts[typed+"-temporal-reasoning"] = clone.Prompt{User: template(2, "8d33a5fdd83afeeb4592454a965eab43d1fcb2dedc042d1d3892f4254be6c273")}
	prompts[typed+"-knowledge-update"] = clone.Prompt{User: template(3, "183a9b3a6197ec620940f610cdc1207201ec98c1113dd633ea685cfc322fafac")}
	prompts[typed+"-single-session-preference"] = clone.Prompt{User: template(4, "741ee3bcbea7ff5e8ed359acef61d2f8ded3de021bbcff6ee13de455f2e2aa9b")}
	return &clone.Source{
		Repository: "https://github.com/xiaowu0162/LongMemEval", Commit: "9e0b455",
		Files: map[string]string{file: ""}, Prompts: prompts,
	}
}()

// beam is the judge of nuggets. Its source leaves the mark of the question as it is.
func beam(question bool) *clone.Source {
	const file = "src/prompts.py"
	marks := map[string]string{"<rubric_item>": "{{.Plain.Nugget}}", "<llm_response>": plainAnswer}
	if question {
		marks["<question>"] = plainQuestion
	}
	return &clone.Source{
		Repository: "https://github.com/mohammadtavakoli78/BEAM", Commit: "b2a3ee8", Files: map[string]string{file: ""},
		Prompts: map[string]clone.Prompt{nugget: {User: clone.Text{
			File: file, After: []string{"unified_llm_judge_base_prompt = "},
			SHA256: "d349c9a8559bed9c14bfe2e624212225b09218ff864258a739229c15f4c8e869", Marks: marks,
		}}},
	}
}

var communityFields = map[string]string{
	"question": plainQuestion, "gold_answer": plainGold, "golden_answer": plainGold, "generated_answer": plainAnswer, "response": plainAnswer,
}

// accuracy is the prompt that mem0's judge has under one name in several clones.
func accuracy(file, sum string) clone.Text {
	return clone.Text{File: file, After: []string{"ACCURACY_PROMPT = "}, SHA256: sum, Format: true, Fields: communityFields}
}

var nemoriJudge = func() *clone.Source {
	const file = "evaluation/locomo/metrics/llm_judge.py"
	return &clone.Source{
		Repository: "https://github.com/nemori-ai/nemori", Commit: "d2a6dff", Files: map[string]string{file: ""},
		Prompts: map[string]clone.Prompt{answer: {
			System: clone.Text{File: file, After: []string{`"role": "system"`, `"content": `}},
			User:   accuracy(file, "44fb3d8f7a1f37b2430772cf90518a32172e4056b7a0dec085402763fd179b9f"),
		}},
	}
}()

var lightMemJudge = func() *clone.Source {
	const file = "experiments/locomo/llm_judge.py"
	return &clone.Source{
		Repository: "https://github.com/zjunlp/LightMem", Commit: "8fc9a91", Files: map[string]string{file: ""},
		Prompts: map[string]clone.Prompt{answer: {User: accuracy(file, "62395dd312a631dfd9355026a0b69cc936018274c3198b6365b5c2a5c9bca9e0")}},
	}
}()

var everMemOSJudge = func() *clone.Source {
	const file = "methods/EverCore/evaluation/config/prompts.yaml"
	text := func(key, sum string) clone.Text {
		return clone.Text{File: file, Key: []string{"llm_judge", key}, SHA256: sum, Format: true, Fields: communityFields}
	}
	return &clone.Source{
		Repository: "https://github.com/EverMind-AI/EverOS", Commit: "facd7b6", Files: map[string]string{file: ""},
		Prompts: map[string]clone.Prompt{answer: {
			System: text("system_prompt", "cb8717a603da23739d88337ab1ad61e9a8960e5ad3d5744841fe82be238473b2"),
			User:   text("user_prompt", "95db33dd7c612813d5aa29687093d92bfe9f57294b6e153dbdcfcae53b6f8f5d"),
		}},
	}
}()

var omniMemEvalJudge = func() *clone.Source {
	const file = "scripts/utils/prompts.py"
	return &clone.Source{
		Repository: "https://github.com/MemTensor/OmniMemEval", Commit: "7df23bc", Files: map[string]string{file: ""},
		Prompts: map[string]clone.Prompt{answer: {
			System: clone.Text{File: file, After: []string{"JUDGE_SYSTEM_PROMPT = "}},
			User: clone.Text{
				File: file, After: []string{"\nJUDGE_PROMPT = "},
				SHA256: "6baa73873a66c6ea712e3a4f07f200870ca15d73330f719b5ad9df10954abea3", Format: true, Fields: communityFields,
			},
		}},
	}
}()

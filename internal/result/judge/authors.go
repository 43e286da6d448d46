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

// everOSJudge is one of EverOS, in a file of prompts.
func everOSJudge(file, system, user string) *clone.Source {
	text := func(key, sum string) clone.Text {
		return clone.Text{File: file, Key: []string{"llm_judge", key}, SHA256: sum, Format: true, Fields: communityFields}
	}
	return &clone.Source{
		Repository: "https://github.com/EverMind-AI/EverOS", Commit: "facd7b6", Files: map[string]string{file: ""},
		Prompts: map[string]clone.Prompt{answer: {
			System: text("system_prompt", system),
			User:   text("user_prompt", user),
		}},
	}
}

var (
	everMemOSJudge = everOSJudge("methods/EverCore/evaluation/config/prompts.yaml",
		"cb8717a603da23739d88337ab1ad61e9a8960e5ad3d5744841fe82be238473b2", "95db33dd7c612813d5aa29687093d92bfe9f57294b6e153dbdcfcae53b6f8f5d")
	everMemBenchJudge = everOSJudge("benchmarks/EverMemBench/eval/config/prompts.yaml",
		"8d1b3c72c9b7febd0bf07e4a8c17d3d9632b5d463556558fd67eed807aafeb29", "06129abfceaa0358330126ed18f0bf29788acb9ef70f6cbf3ce088926d78ad10")
)

// ambJudge leaves the form of the reply to a schema.
var ambJudge = func() *clone.Source {
	const file = "src/memory_bench/judge.py"
	return &clone.Source{
		Repository: "https://github.com/vectorize-io/agent-memory-benchmark", Commit: "de83fa7", Files: map[string]string{file: ""},
		Prompts: map[string]clone.Prompt{answer: {User: clone.Text{
			File: file, After: []string{"_PROMPT = "}, SHA256: "a27d4cba9912a1b0190ca9313d69181dd42ce48ff26191d49efb93d770c9c588", Format: true,
			Fields: map[string]string{"query": plainQuestion, "gold_answers": "- " + plainGold, "answer": plainAnswer},
		}}},
	}
}()

// omniMemEvalJudge is one of OmniMemEval's, by the names of its prompt.
func omniMemEvalJudge(name, sum string) *clone.Source {
	const file = "scripts/utils/prompts.py"
	return &clone.Source{
		Repository: "https://github.com/MemTensor/OmniMemEval", Commit: "7df23bc", Files: map[string]string{file: ""},
		Prompts: map[string]clone.Prompt{answer: {
			System: clone.Text{File: file, After: []string{"JUDGE_SYSTEM_PROMPT = "}},
			User:   clone.Text{File: file, After: []string{"\n" + name + " = "}, SHA256: sum, Format: true, Fields: communityFields},
		}},
	}
}

// omniMemEvalNuggets judges nuggets by a prompt of OmniMemEval.
var omniMemEvalNuggets = func() *clone.Source {
	const file, system = "scripts/utils/prompts.py", "scripts/beam/beam_eval.py"
	return &clone.Source{
		Repository: "https://github.com/MemTensor/OmniMemEval", Commit: "7df23bc", Files: map[string]string{file: "", system: ""},
		Prompts: map[string]clone.Prompt{nugget: {
			System: clone.Text{File: system, After: []string{"def _judge_rubric_item(", `"role": "system"`, `"content": `}},
			User: clone.Text{
				File: file, After: []string{"\nBEAM_RUBRIC_ITEM_JUDGE_PROMPT = "},
				SHA256: "fec131fbd93ce2ad7c87ffcc9c5a55bddbd7c586da83e376c4cd5a8de44b0886", Format: true,
				Fields: map[string]string{"question": plainQuestion, "rubric_item": "{{.Plain.Nugget}}", "response": plainAnswer},
			},
		}},
	}
}()

// mem0Texts are prompts of mem0's memory-benchmarks, in a copy of its repository.
func mem0Texts(file string, prompts map[string]clone.Prompt) *clone.Source {
	return &clone.Source{
		Repository: "https://github.com/qsupremacy/memory-benchmarks", Commit: "7ba1bd3", Files: map[string]string{file: ""}, Prompts: prompts,
	}
}

var mem0LoCoMo = func() *clone.Source {
	const file, open = "benchmarks/locomo/prompts.py", `{{"{"}}` // of a brace that was doubled
	return mem0Texts(file, map[string]clone.Prompt{answer: {
		System: clone.Text{File: file, After: []string{"JUDGE_SYSTEM_PROMPT = "}},
		User: clone.Text{
			File: file, After: []string{"_JUDGE_TEMPLATE = "}, SHA256: "bb3b585bc9edd6b89e78d58e99179d6da106e2bb68e723e7508bd18757add94e", Format: true,
			Fields: map[string]string{"evidence_section": "", "evidence_rule": "", "evidence_wrong_clause": ""},
			Marks:  map[string]string{open + "question}": plainQuestion, open + "answer}": plainGold, open + "response}": plainAnswer},
		},
	}})
}()

var mem0LongMemEval = func() *clone.Source {
	const file = "benchmarks/longmemeval/prompts.py"
	return mem0Texts(file, map[string]clone.Prompt{answer: {User: clone.Text{
		File: file, After: []string{"\nJUDGE_PROMPT = "}, SHA256: "f4f378ba0a4c671d565cd14db172a99fb654e1446b645391da7883c7cd178a44", Format: true,
		Fields: map[string]string{"question": plainQuestion, "answer": plainGold, "response": plainAnswer},
	}}})
}()

var mem0Nuggets = func() *clone.Source {
	const file = "benchmarks/beam/prompts.py"
	return mem0Texts(file, map[string]clone.Prompt{nugget: {
		System: clone.Text{File: file, After: []string{"BEAM_JUDGE_SYSTEM_PROMPT = "}},
		User: clone.Text{
			File: file, After: []string{"BEAM_NUGGET_JUDGE_PROMPT = "}, SHA256: "31a431775c948b44c2117222a332d50724ce247af85bf1bc48a357479b5fb191", Format: true,
			Fields: map[string]string{"question": plainQuestion, "nugget": "{{.Plain.Nugget}}", "response": plainAnswer},
		},
	}})
}()

// memOSJudge is an f-string in the code that uses it.
var memOSJudge = func() *clone.Source {
	const file = "evaluation/scripts/locomo/locomo_eval.py"
	return &clone.Source{
		Repository: "https://github.com/MemTensor/MemOS", Commit: "be68e2f",
		Files: map[string]string{file: "83a01f7be575f5d8b9eaf9e8f28e6cae6df489d5e733a81ba3dba47f5efe00ff"},
		Prompts: map[string]clone.Prompt{answer: {
			System: clone.Text{File: file, After: []string{"system_prompt = "}},
			User:   clone.Text{File: file, After: []string{"accuracy_prompt = "}, Fields: communityFields},
		}},
	}
}()

// memoryBench has a text for each kind of question, behind which its code puts the rest.
var memoryBench = func() *clone.Source {
	const file = "src/prompts/defaults.ts"
	text := func(name, gold, sum string) clone.Prompt {
		return clone.Prompt{User: clone.Text{
			File: file, After: []string{name + "_JUDGE_PROMPT = "}, SHA256: sum,
			Then: "\n\nQuestion: " + plainQuestion + "\n" + gold + ": " + plainGold + "\nSystem's Hypothesis: " + plainAnswer,
		}}
	}
	const gold = "Ground Truth Answer"
	return &clone.Source{
		Repository: "https://github.com/supermemoryai/memorybench", Commit: "25729a7", Files: map[string]string{file: ""},
		Prompts: map[string]clone.Prompt{
			answer:      text("DEFAULT", gold, "2f4df52cb6dd110e91cdaa51f433628f21edb6981511d13250dc1260cfaefb61"),
			adversarial: text("ABSTENTION", gold, "d0be2556aa32c61c56b1b9680e7b7491eec36c6b9c6d6baf393bf085a5f7864c"),
			temporal:    text("TEMPORAL", gold, "9b99ec00f44fe2090519752a445bf52dd400aab08ca768e3ef950faa330d80fd"),
			update:      text("KNOWLEDGE_UPDATE", gold, "865a8484ac163b1cc81302694ddec0b1807b8f58cd1df17e735e1051e11ab1c0"),
			preference:  text("PREFERENCE", "Rubric", "dd8536eddb4b23a1ad7e718394a2f38f4c465f82a801694b3af3f1363a5efa9b"),
		},
	}
}()

// locomoPlus has a text for each category. It leaves out evidence where there is none.
var locomoPlus = func() *clone.Source {
	const file = "evaluation_framework/task_eval/prompt.py"
	text := func(name, sum string) clone.Prompt {
		return clone.Prompt{User: clone.Text{
			File: file, After: []string{"PROMPT_TEMPLATES = ", `"` + name + `": `}, SHA256: sum, Format: true,
			Fields: map[string]string{"gold": plainGold, "pred": plainAnswer, "evidence": ""},
		}}
	}
	return &clone.Source{
		Repository: "https://github.com/xjtuleeyf/Locomo-Plus", Commit: "059f4e3", Files: map[string]string{file: ""},
		Prompts: map[string]clone.Prompt{
			answer:      text("default", "117bbafb8c4d388e5fe814a098851c361087497b515331b457e144bf1cffe9f9"),
			multiHop:    text(multiHop, "6eba7bc55145d57a06c90fb96a9daf7965b68dbb480b975d2b1583b59124741a"),
			singleHop:   text(singleHop, "e0cc6dfb7fb33aeafeed27e6db214eff15278738298384817479f09f5f5997d4"),
			temporal:    text(temporal, "f951d90c7a759c12eff5ceeb963129c2be79b529209b9fb2ddcfbafb2a40aa3d"),
			commonSense: text(commonSense, "3147a06f69f3229233ecb367249c42afe6485d45c18957c6d2286a2eb28ea904"),
			adversarial: text(adversarial, "2a73bc69e8051121a6332c3fb14605574bacc3cb58173fdd72b5803f4bd40a69"),
		},
	}
}()

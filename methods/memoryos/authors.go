package memoryos

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"strings"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt/clone"
	"recallbench/methods/internal/building"
)

// authors says where the authors' code has the prompts of a profile. The package
// has none for keywords.
func authors(p Profile) clone.Source {
	s := clone.Source{Repository: "https://github.com/BAI-LAB/MemoryOS", Commit: "1d71706"}
	pair := map[string]string{
		"prev_user": "{{.First.User}}", "prev_agent": "{{.First.Agent}}", "curr_user": "{{.Second.User}}", "curr_agent": "{{.Second.Agent}}",
		"last_meta": `{{or .Before "None"}}`, "new_dialogue": "User: {{.Second.User}}\nAssistant: {{.Second.Agent}}",
	}
	if p != Eval {
		const file = "memoryos-pypi/prompts.py"
		s.Files = map[string]string{file: "432ae8481b21fe7ce54f79493c93a41707046f94001d0139e112bcf793eeed9f"}
		stamped := "{{range $i, $p := .Pages}}{{if $i}}\n{{end}}User: {{.User}} (Timestamp: {{.Time}})\nAssistant: {{.Agent}} (Timestamp: {{.Time}}){{end}}"
		fields := map[string]string{"text": "User: {{.Page.User}}\nAssistant: {{.Page.Agent}}", "conversation": stamped, "existing_user_profile": `{{or .Known "None"}}`}
		constant := func(name string, fields map[string]string) clone.Prompt {
			return clone.Prompt{
				System: clone.Text{File: file, After: []string{"\n" + name + "_SYSTEM_PROMPT = "}},
				User:   clone.Text{File: file, After: []string{"\n" + name + "_USER_PROMPT = "}, Format: true, Fields: fields},
			}
		}
		s.Prompts = map[string]clone.Prompt{
			continues: constant("CONTINUITY_CHECK", pair), overview: constant("META_INFO", pair), themes: constant("MULTI_SUMMARY", fields),
			portrait: constant("PERSONALITY_ANALYSIS", fields), facts: constant("KNOWLEDGE_EXTRACTION", fields),
		}
		return s
	}
	const pages, calls = "eval/dynamic_update.py", "eval/utils.py"
	s.Files = map[string]string{
		pages: "301179741c84e18b84cc82cc7a11c0d6d02afc250b324a9960f2e3dc38844c1f",
		calls: "a3397162512d94646252cf30848fb4fda94a5f6c5cd7ab1c23a442dbeebb9bd2",
	}
	function := func(file, name string, t clone.Text) clone.Prompt {
		t.File, t.After = file, []string{"def " + name + "(", "prompt = "}
		system := `"role": "system", "content": `
		if strings.HasPrefix(name, "gpt_p") || strings.HasPrefix(name, "gpt_u") || strings.HasPrefix(name, "analyze") {
			system = `"content": `
		}
		return clone.Prompt{System: clone.Text{File: file, After: []string{"def " + name + "(", system}}, User: t}
	}
	conversation := func(agent, end string) string {
		return "{{range $i, $p := .Pages}}{{if $i}}\n{{end}}User: {{.User}}\n" + agent + ": {{.Agent}}\nTime:{{.Time}}" + end + "{{end}}"
	}
	personality := function(calls, "gpt_personality_analysis", clone.Text{Then: conversation("Assistant", "")})
	for _, t := range []*clone.Text{&personality.System, &personality.User} { // older ones stand in comments
		t.After[0] = "\n" + t.After[0]
	}
	s.Prompts = map[string]clone.Prompt{
		continues: function(pages, "_is_conversation_continuing", clone.Text{Format: true, Fields: pair}),
		overview:  function(pages, "_generate_meta_info", clone.Text{Format: true, Fields: pair}),
		themes:    function(calls, "gpt_generate_multi_summary", clone.Text{Then: "User: {{.Page.User}}\n"}),
		keywords:  function(calls, "llm_extract_keywords", clone.Text{Then: "{{.Text}}"}),
		portrait:  personality,
		facts:     function(calls, "analyze_assistant_knowledge", clone.Text{Then: conversation("AI", "\n")}),
		merge:     function(calls, "gpt_update_profile", clone.Text{Fields: map[string]string{"old_profile": "{{.Known}}", "new_analysis": "{{.New}}"}}),
	}
	return s
}

func cloned(base string, options any) (fs.FS, error) {
	o := options.(Options)
	return authors(o.Profile).Templates(base, o.Prompts)
}

// authored reports whether a template is the authors', so that replies have their
// form.
func (m *method) authored(template string) bool {
	_, found := authors(m.Profile).Prompts[template]
	return found && m.Options.Prompts.From != ""
}

// The marks before the lists of a reply in the authors' form.
const (
	profileMark   = "【User Profile】"
	dataMark      = "【User Data】"
	privateMark   = "【User Private Data】"
	assistantMark = "【Assistant Knowledge】"
)

// authoredContinues reads the one word of a reply. It takes 10 tokens at most, as the
// authors' does.
func (b *builder) authoredContinues(ctx context.Context, c building.Call) (bool, error) {
	c.Params.MaxTokens = 10
	text, ok, err := b.Text(ctx, c, building.MaxTitle)
	text = strings.ToLower(text)
	if ok && text != "true" && text != "false" {
		meter.Degrade(ctx, c.Role)
	}
	return text == "true", err
}

// authoredThemes reads a reply that is a list.
func (b *builder) authoredThemes(ctx context.Context, c building.Call) (llm.Themes, bool, error) {
	text, ok, err := b.Raw(ctx, c)
	if !ok {
		return llm.Themes{}, false, err
	}
	list, ok := themeList(text)
	if !ok {
		meter.Degrade(ctx, c.Role)
	}
	return llm.Themes{Themes: list}, ok, nil
}

// themeList reads the list of themes in a text; not ok where there is none.
func themeList(text string) (list []llm.Theme, ok bool) {
	from, to := strings.Index(text, "["), strings.LastIndex(text, "]")
	if from < 0 || to < from {
		return nil, false
	}
	err := json.Unmarshal([]byte(text[from:to+1]), &list)
	return list, err == nil
}

// authoredPortrait reads a profile, and in the evaluation facts behind it.
func (b *builder) authoredPortrait(ctx context.Context, c building.Call) (llm.Portrait, bool, error) {
	text, ok, err := b.Raw(ctx, c)
	profile, data, _ := strings.Cut(text, dataMark)
	return llm.Portrait{Profile: strings.ReplaceAll(profile, profileMark, ""), Facts: strings.Split(data, "\n")}, ok, err
}

// authoredFacts reads facts of the assistant, and in the package those of the user
// before them.
func (b *builder) authoredFacts(ctx context.Context, c building.Call) (found factLists, err error) {
	text, _, err := b.Raw(ctx, c)
	before, after, marked := strings.Cut(text, assistantMark)
	if b.Profile == Eval {
		return factLists{Agent: strings.Split(cmp.Or(after, before), "\n")}, err
	}
	if _, private, ok := strings.Cut(before, privateMark); ok {
		found.User = strings.Split(private, "\n")
	}
	if marked {
		found.Agent = strings.Split(after, "\n")
	}
	return found, err
}

package gateway

import (
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/files/strictyaml"
)

func TestParseRule(t *testing.T) {
	for _, tt := range []struct {
		in   string // of a YAML file
		want string // or a part of the error
	}{
		{"uuid", "uuid"},
		{"epoch", "epoch"},
		{"today", "today"},
		{`'run-\d+ => run-0'`, `run-\d+ => run-0`},
		{`{match: 'run-\d+', as: run-0}`, `run-\d+ => run-0`},
		{"uuids", `want uuid, epoch, today, "MATCH => AS" or {match: MATCH, as: AS}`},
		{"( => x", "error parsing regexp"},
		{"x* => y", `match "x*" matches nothing`},
		{"{match: x}", "rules[0]: a rule with match, want match and as"},
		{"{match: x, as: 1}", "a rule with as, match, want match and as, both texts"},
		{"{}", "a rule with nothing, want match and as"},
		{"{match: 'a => b', as: c}", `holds " => "`},
		{"[uuid]", "found a list"},
	} {
		var got struct{ Rules []Rule }
		doc, err := strictyaml.Parse("run.yaml", []byte("rules: ["+tt.in+"]\n"))
		if err == nil {
			doc.Root().Decode(&got)
			err = doc.Err()
		}
		if err != nil {
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %s", tt.in, err, tt.want)
			}
			continue
		}
		if got.Rules[0].String() != tt.want {
			t.Errorf("%s: %s, want %s", tt.in, got.Rules[0], tt.want)
		}
	}
}

// rules parses rules.
func rules(tb testing.TB, texts ...string) (all []Rule) {
	tb.Helper()
	for _, s := range texts {
		var r Rule
		if err := r.UnmarshalText([]byte(s)); err != nil {
			tb.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func TestNormalise(t *testing.T) {
	const id, other = "7b6f3d0e-3f0c-4c39-9d0a-5f6a8f5b1c22", "0E4D2C1B-1111-4222-8333-444455556666"
	for _, tt := range []struct{ rule, in, want string }{
		{"uuid", "", ""},
		{"uuid", "a-b-c " + id + "-", "a-b-c " + id + "-"},
		{"uuid", "a" + id, "a" + id},
		{"uuid", `{"a":"b\n` + id + `"}`, `{"a":"b\n` + placeholder(1) + `"}`},
		{"today", `{"a":"b\n2026-11-22"}`, `{"a":"b\n2024-01-01"}`},
		{"uuid", "-" + id, "-" + id},
		{"uuid", "_" + id + "_", "_" + placeholder(1) + "_"},
		{"uuid", id + " " + strings.ToUpper(id) + other[:5], placeholder(1) + " " + strings.ToUpper(id) + other[:5]},
		{"uuid", id + "," + other + "," + strings.ToUpper(id), placeholder(1) + "," + placeholder(2) + "," + placeholder(1)},
		{"uuid", "12345678-" + id, "12345678-" + id},
		{"today", "2026-11-22T14:05:33.123+00:00.", "2024-01-01T00:00:00.000+00:00."},
		{"today", "at 2026-11-22, 9:05 or 22026-11-22", "at 2024-01-01, 0:00 or 22026-11-22"},
		{"today", "on November 22, 2026 at 14:05 and 2026-11-223", "on January 1, 2024 at 00:00 and 2026-11-223"},
		{"today", "x-2026-11-22", "x-2024-01-01"},
		{"epoch", "1795342801.5 and -1795342800000", "1700000000.5 and -1700000000000"},
		{`\bnow\b => then`, "now, known, now", "then, known, then"},
		{"a+ => $0", "caab", "c$0b"},
	} {
		n := newNormaliser(rules(t, tt.rule), clock(), new(dates))
		if tt.rule == "epoch" {
			n.now = time.Unix(1795342800, 0)
		}
		if got := n.text(tt.in); got != tt.want {
			t.Errorf("%s: %q: got %q, want %q", tt.rule, tt.in, got, tt.want)
		}
	}
	// The day before the tenth is written with a zero or without.
	for _, in := range []string{"5 March 2026 9:00", "05 March 2026 9:00"} {
		n := newNormaliser(rules(t, "today"), time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC), new(dates))
		if got := n.text(in); got != "1 January 2024 0:00" {
			t.Errorf("%q: got %q", in, got)
		}
	}
	// Two numbers of one length cannot be told apart in a reply; one can.
	n := newNormaliser(rules(t, "epoch"), time.Unix(1795342800, 0), new(dates))
	n.text("1795342801 1795342802000 1795342803000")
	if got := n.back("1700000000 1700000000000"); got != "1795342801 1700000000000" {
		t.Errorf("put back %q", got)
	}
}

// What is replaced reaches no model, and comes back in replies.
func TestNormalised(t *testing.T) {
	var chat model
	r := newRig(t, Models{Chat: &chat, Embedder: opened(lengths{2}), Normalise: rules(t, "uuid", "today", `\bnonce-\d+ => nonce`)})
	p, _ := r.begin(t, "")
	const id = "7b6f3d0e-3f0c-4c39-9d0a-5f6a8f5b1c22"
	got := r.post(t, "/v1/chat/completions", `{"messages":[{"role":"system","content":"today is 2026-11-22"},{"role":"user","content":"x","name":"`+id+`"},{"role":"user","content":"keep <m_`+id+`> nonce-7"}]}`)
	if !strings.Contains(got.body, "keep <m_"+id+"> nonce") {
		t.Error(got.body)
	}
	want := []llm.Message{
		{Role: llm.System, Content: "today is 2024-01-01"},
		{Role: llm.User, Content: `{"content":"x","name":"` + placeholder(1) + `"}`},
		{Role: llm.User, Content: "keep <m_" + placeholder(1) + "> nonce"},
	}
	for i, m := range chat.requests()[0].Messages {
		if m != want[i] {
			t.Errorf("message %d: %+v, want %+v", i, m, want[i])
		}
	}
	r.post(t, "/v1/embeddings", `{"input":["`+id+`"]}`)
	// In the JSON of a message and of a choice, too.
	chat.do = func(llm.Request) (llm.Reply, error) {
		args := encode(`{"text":"a\n` + placeholder(1) + `"}`)
		return llm.Reply{Wire: []byte(`[{"message":{"content":"a\n` + placeholder(1) + `","tool_calls":[{"function":{"arguments":` + string(args) + `}}]},"finish_reason":"stop"}]`)}, nil
	}
	got = r.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":[{"type":"text","text":"b\n`+id+`"}]}]}`)
	if content := chat.requests()[1].Messages[0].Content; strings.Count(got.body, `\n`+id) != 2 || content != `{"content":[{"text":"b\n`+placeholder(1)+`","type":"text"}]}` {
		t.Errorf("%s, sent %s", got.body, content)
	}
	replaced := r.m.Replaced()
	if len(replaced) != 3 || replaced["uuid"] != 4 || replaced["today"] != 1 || replaced[`\bnonce-\d+ => nonce`] != 1 {
		t.Errorf("replaced %v", replaced)
	}
	_ = p.End()
}

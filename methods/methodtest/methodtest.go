// Package methodtest has what the tests of methods share: a method over the stand-in,
// a conversation, a store for the parts of a building, and a model that edits trees.
//
// The contract that every method keeps is tested in package methods/suite.
package methodtest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/backend/standin"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/checkpoint"
	"recallbench/methods"
	"recallbench/methods/internal/transcript"
)

// Env returns the environment of a method over the stand-in.
func Env(tb testing.TB, spec *methods.Spec) methods.Env {
	tb.Helper()
	quiet := slog.New(slog.DiscardHandler)
	doors, err := standin.Spec.Open(tb.Context(), backend.Env{Seed: 1, Log: quiet}, standin.Spec.Options)
	if err != nil {
		tb.Fatal(err)
	}
	prompts, err := prompt.Load(spec.Name, spec.Prompts, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return methods.Env{
		LLM: doors.LLM, Embed: doors.Embed, NLI: doors.NLI, Annotate: doors.Annotate, Prune: doors.Prune, Tokens: doors.Tokens,
		Prompts: prompts, Now: time.Now, Seed: 1, Log: quiet,
	}
}

// Method makes a method over the stand-in, with meters; wrap changes its model.
func Method(tb testing.TB, spec *methods.Spec, options any, wrap func(llm.Generator) llm.Generator) methods.Method {
	tb.Helper()
	env := Env(tb, spec)
	env.LLM, env.Embed = meter.Generator(wrap(env.LLM), env.Tokens, meter.Free), meter.Model(env.Embed, env.Tokens, meter.Free)
	m, err := spec.New(env, options)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// Plain leaves a model unchanged.
func Plain(g llm.Generator) llm.Generator { return g }

// Says makes a model reply with a text to all calls of a role.
func Says(role, reply string) func(llm.Generator) llm.Generator {
	return func(g llm.Generator) llm.Generator {
		return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			if r.Role == role {
				return llm.Reply{Text: reply, Finish: "stop"}, nil
			}
			return g.Generate(ctx, r)
		})
	}
}

// How package transcript writes lines with and without a time.
var (
	dated   = regexp.MustCompile(`(?m)^ *(?:- |\d+\. )?\[(\d+ [A-Z][a-z]+ \d{4} \d\d:\d\d)\] ?(?:([^\s:][^:\n]{0,30}): )?(.*)$`)
	undated = regexp.MustCompile(`(?m)^()(\w+): (.*)$`)
)

// Lines returns the lines of a conversation that the last message of a call shows:
// those with a time or, if none has one, those with a speaker.
func Lines(r llm.Request) (lines []transcript.Line) {
	said := r.Messages[len(r.Messages)-1].Content
	found := dated.FindAllStringSubmatch(said, -1)
	if len(found) == 0 {
		found = undated.FindAllStringSubmatch(said, -1)
	}
	for _, m := range found {
		at, _ := time.Parse("2 January 2006 15:04", m[1]) // zero for none
		lines = append(lines, transcript.Line{Time: at, Speaker: m[2], Text: strings.TrimSpace(m[3])})
	}
	return lines
}

// A Shelf is a [checkpoint.Keeper] that keeps parts in memory.
type Shelf struct {
	Data   []json.RawMessage
	Used   int    // how many were
	FailAt int    // Add fails at the part with this number; 0 means never
	File   string // next to the parts
}

// ErrKilled is the error of a failing Shelf.
var ErrKilled = errors.New("killed")

// Parts implements [checkpoint.Keeper].
func (s *Shelf) Parts() (parts []checkpoint.Part) {
	for _, d := range s.Data {
		parts = append(parts, checkpoint.Part{Data: d, Use: func() { s.Used++ }})
	}
	return parts
}

// Add implements [checkpoint.Keeper].
func (s *Shelf) Add(part any) error {
	if s.FailAt > 0 && len(s.Data)+1 == s.FailAt {
		return ErrKilled
	}
	data, err := json.Marshal(part)
	s.Data = append(s.Data, data)
	return err
}

// Beside implements [checkpoint.Keeper].
func (s *Shelf) Beside() string { return s.File }

// talk is the conversation of Sample: the time of each session, and its turns.
const talk = `
2024-02-03T18:30:00Z
Hi Emil! I started a pottery class yesterday.
Great! I have been fixing up my grandfather's motorcycle.
Here is my first bowl, a bit crooked.
I like it! What will you make next?
A teapot for my sister Leila, who moved to Porto.

2024-03-09T11:00:00Z
The teapot broke in the kiln. I was so sad.
Oh no! My news: the motorcycle runs again since last Sunday.
Congratulations! Where will you ride first?
To the lake, with my friends Ada and Jonas.

2024-05-20T09:15:00Z
I made a second teapot and it is perfect.
Send it to Porto soon! I am selling the motorcycle to buy a boat.
A boat? For the lake, I guess.
`

// questions are those of Sample.
const questions = `When did Noor start the pottery class?
Who is the teapot for?
Where does Leila live?
What has Emil owned or wanted to buy?
Why was Noor sad in March 2024?
What colour is Noor's first bowl?
What is the name of Emil's dog?`

// Sample returns a small conversation with questions: two speakers who take turns, three
// sessions, an image, relative dates. Each call makes a new one.
func Sample() datasets.Sample {
	s := datasets.Sample{ID: "methodtest", Speakers: []string{"Noor", "Emil"}}
	for i, text := range strings.Split(strings.TrimSpace(talk), "\n\n") {
		lines := strings.Split(text, "\n")
		at, err := time.Parse(time.RFC3339, lines[0])
		if err != nil {
			panic(err) // a mistake of this package
		}
		session := datasets.Session{ID: number("", i), Time: at}
		for k, said := range lines[1:] {
			turn := datasets.Turn{ID: number("D"+session.ID+":", k), Speaker: s.Speakers[k%2], Text: said, Time: at}
			if strings.Contains(said, "my first bowl") {
				turn.Image = &datasets.Image{URL: "https://example.org/bowl.jpg", Caption: "a blue bowl on a wooden table", Query: "handmade blue bowl"}
			}
			session.Turns = append(session.Turns, turn)
		}
		s.Sessions = append(s.Sessions, session)
	}
	for i, text := range strings.Split(questions, "\n") {
		s.Requests = append(s.Requests, datasets.Request{ID: number("q", i), Text: text})
	}
	return s
}

// number numbers from 1.
func number(prefix string, i int) string { return prefix + string(rune('1'+i)) }

package methodtest

import (
	"regexp"
	"strings"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/methods/internal/transcript"
)

// How package transcript writes lines with a time, and those without.
var (
	dated   = regexp.MustCompile(`(?m)^ *(?:- |\d+\. )?\[(\d+ [A-Z][a-z]+ \d{4} \d\d:\d\d)\] ?(?:([^\s:][^:\n]{0,30}): )?(.*)$`)
	undated = regexp.MustCompile(`(?m)^()(\w+): (.*)$`)
)

// Lines returns the lines of a conversation that the last message of a request shows:
// those with a time, and where none has one those with a speaker.
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

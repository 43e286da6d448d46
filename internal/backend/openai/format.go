package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"recallbench/internal/door/llm"
)

// instruct returns the messages with a demand for JSON of a format at the end
// of the first system message, or in one of its own.
func instruct(messages []message, f llm.Format) []message {
	demand := "Reply with a single JSON object and nothing else: no words before or after it and no code fence. " +
		"The object must be valid under this JSON Schema:\n" + string(f.Schema)
	i := slices.IndexFunc(messages, func(m message) bool { return m.Role == string(llm.System) && !m.raw })
	if i < 0 {
		return append([]message{{Role: string(llm.System), Content: demand}}, messages...)
	}
	messages = slices.Clone(messages)
	messages[i].Content += "\n\n" + demand
	return messages
}

// maxStarts bounds how many braces are tried as the beginning of an object, so
// that a text of braces costs no more than some passes over it.
const maxStarts = 64

// extract returns the JSON object that a text holds, without the prose and
// code fences around it: the largest, since models show small ones on the way,
// and the last of those that are equally large. Text without an object is
// returned as it is.
func extract(text string) string {
	var found string
	rest := text
	for range maxStarts {
		i := strings.IndexByte(rest, '{')
		if i < 0 {
			break
		}
		rest = rest[i:]
		var object json.RawMessage
		if json.NewDecoder(strings.NewReader(rest)).Decode(&object) != nil {
			rest = rest[1:]
			continue
		}
		if len(object) >= len(found) {
			found = rest[:len(object)]
		}
		rest = rest[len(object):]
	}
	if found == "" {
		return text
	}
	return found
}

// The tags around what a model thinks before it replies.
const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
)

// answer returns the part of a text after what the model thought: local
// servers without a parser of reasoning leave it in. Templates of chats may
// end in the first tag, and then the text has only the second. A thought that
// was cut off leaves nothing.
func answer(text string) string {
	before, after, ok := strings.Cut(text, thinkEnd)
	begins := strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), thinkBegin)
	switch {
	case ok && (begins || !strings.Contains(before, thinkBegin)):
		return strings.TrimLeft(after, " \t\r\n")
	case begins:
		return ""
	default:
		return text
	}
}

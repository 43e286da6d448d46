package tree

import "strings"

// topicForm is something told or written with its topic: "a lecture on bees".
var topicForm = re(`\b(?:seminar|lecture|talk|lesson|workshop|course|book|essay|report|paper|article|chapter|class|session|unit|exercise|section|discussion|presentation|tutorial|webinar|speech|film|documentary|exhibition|introduction|guide|note|quiz|test|exam)s? (?:on|about|in|for|to) (?:the |an? )?(\p{L}+)`)

// cutName cuts what follows a name off: where, when and why. The topic of a
// lecture or the like stays.
func cutName(s string) string {
	const keep = "¤"
	s = topicForm.ReplaceAllStringFunc(s, func(m string) string {
		words := scan(m)
		last := words[len(words)-1].low
		_, day := weekdays[last]
		if day || calendarNoun[last] || digits(last) {
			return m
		}
		out := m[:words[1].start]
		return out + keep + m[words[1].start:]
	})
	return strings.ReplaceAll(nameEnd.ReplaceAllString(s, ""), keep, "")
}

// calendarNoun are nouns of when.
var calendarNoun = set(`day days week weeks month morning afternoon evening weekend module unit project list plan first second third fourth fifth last top end beginning same other`)

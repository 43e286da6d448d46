package chat

import _ "embed"

// An Example is a chat that pages offer to begin with.
type Example struct {
	Name   string `json:"name"`
	Doc    string `json:"doc"`
	Source Source `json:"source"`
	Method string `json:"method"`
	Today  string `json:"today,omitempty"`
	// Requests are the first turns, to be asked one after the other.
	Requests []string `json:"requests"`
}

//go:embed examples/conference.xml
var conference string

// Examples returns the chats that pages offer.
func Examples() []Example {
	return []Example{
		{
			// After the case study of the Semantic XPath paper, appendix C: a stop
			// is cancelled, ten edits and questions later its time is asked for.
			Name: "conference", Doc: "a cancelled stop is asked for after ten other turns",
			Source: Source{XML: conference}, Method: "semantic-xpath", Today: "2026-07-20",
			Requests: []string{
				"Cancel the poster session visit, because I have to meet a client.",
				"Move the harbour walk to day 3.",
				"What do I do on Tuesday?",
				"Change the time of the Garden Canteen to 1:00 PM - 2:00 PM.",
				"Delete the tutorial on long memories.",
				"Which restaurants are in the plan?",
				"Change the time of the train to the airport to 3:20 PM - 4:00 PM.",
				"Add a coffee with Robin on day 4, 11:30 AM to 12:15 PM.",
				"Delete the botanical garden.",
				"When does the closing session begin?",
				"Change the time of the Lantern Noodle Bar to 6:30 PM - 7:30 PM.",
				"Wait, what time was the poster session again, before I cancelled it? I might be able to make it.",
			},
		},
		{
			Name: "week", Doc: "a week of travel, with work in between",
			Source: Source{Dataset: "tasks", Sample: "itinerary/m1", Options: map[string]any{"turns": "multi", "domains": []any{"itinerary"}}}, Method: "semantic-xpath", Today: "2026-09-01",
			Requests: []string{"What is left on Wednesday that I have to do for work, lunches included?"},
		},
		{
			Name: "talk", Doc: "a conversation of two people, remembered in passages",
			Source: Source{Dataset: "sample", Sample: "nadia-owen"}, Method: "flat-rag",
			Requests: []string{"What are Nadia and Owen planning?"},
		},
	}
}

package offline

import (
	"testing"

	"recallbench/internal/door/llm"
)

// longChat is an episode of 20 messages with images, questions and times.
func longChat() (lines []llm.Line) {
	for range 5 {
		lines = append(lines, chat(
			"Ana: Hey Ben! I started a pottery class in the old mill last week, and I've already made two bowls for my sister.",
			"Ben: Wow, that's great! How did you find the class? [image: a photo of a kiln in a yard]",
			"Ana: My neighbour teaches there. I'm planning to sell mugs at the harbour market next month.",
			"Ben: I used to carve wood with my grandfather when I was a boy in Norway, but I sold my tools years ago.",
		)...)
	}
	return lines
}

func benchmarkTask(b *testing.B, task llm.Task) {
	b.Helper()
	r := testGenerator(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Generate(b.Context(), llm.Request{Task: task}); err != nil {
			b.Fatal(err)
		}
	}
}

// The lines are analysed once, as in building: the time is of the rules.
func BenchmarkBoundary(b *testing.B) {
	lines := longChat()
	benchmarkTask(b, llm.BoundaryTask{History: lines[:19], Next: lines[19]})
}

func BenchmarkEpisode(b *testing.B) { benchmarkTask(b, llm.EpisodeTask{Lines: longChat()}) }

func BenchmarkStatements(b *testing.B) { benchmarkTask(b, llm.StatementsTask{Lines: longChat()}) }

func BenchmarkProbe(b *testing.B) {
	var passages []llm.Passage
	for _, l := range longChat() {
		passages = append(passages, llm.Passage{Lines: []llm.Line{l}})
	}
	passages = append(passages, llm.Passage{Lines: longChat()})
	benchmarkTask(b, llm.ProbeTask{Question: "What does Ana plan to sell at the market?", Passages: passages})
}

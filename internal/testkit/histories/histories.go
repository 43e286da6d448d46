// Package histories generates files in the layout of LongMemEval, of any size.
package histories

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// words are so many that a history has most of its pairs of words once.
const words = 20_000

// Write writes questions, each with the given number of sessions of ten turns and
// about 11 kB. The first session has the answer; the others recur in other
// conversations, as in the release. The bytes are always the same.
func Write(out io.Writer, questions, sessions int) error {
	w := bufio.NewWriterSize(out, 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 3, words)
	said := func(label string) string {
		turns := make([]string, 10)
		for i := range turns {
			var b strings.Builder
			for range 45 + 300*(i%2) {
				fmt.Fprintf(&b, "w%d ", zipf.Uint64())
			}
			turns[i] = fmt.Sprintf(`{"role": %q, "content": %q%s}`, []string{"user", "assistant"}[i%2], b.String(), label)
			if label != "" {
				label = `, "has_answer": false`
			}
		}
		return "[" + strings.Join(turns, ",\n") + "]"
	}
	others := make([]string, min(1000, questions*sessions))
	for i := range others {
		others[i] = said("")
	}
	types := []string{"multi-session", "temporal-reasoning", "knowledge-update"}
	separator := "["
	for q := range questions {
		fmt.Fprintf(w, `%s{"question_id": "%08x", "question_type": %q, "question": "What is w%d?", "answer": "w%d", "question_date": "2023/05/30 (Tue) 23:17",`+"\n",
			separator, q, types[q%len(types)], q, q)
		ids := []string{`"answer_1"`}
		for s := range sessions - 1 {
			ids = append(ids, fmt.Sprintf(`"%x_%d"`, q, s))
		}
		dates := strings.TrimSuffix(strings.Repeat(`"2023/05/20 (Sat) 09:00", `, sessions), ", ")
		fmt.Fprintf(w, `"haystack_dates": [%s], "haystack_session_ids": [%s], "answer_session_ids": ["answer_1"], "haystack_sessions": [`+"\n%s",
			dates, strings.Join(ids, ", "), said(`, "has_answer": true`))
		for range sessions - 1 {
			fmt.Fprint(w, ",\n", others[random.IntN(len(others))])
		}
		fmt.Fprintln(w, "]}")
		separator = ","
	}
	fmt.Fprintln(w, "]")
	return w.Flush()
}

package report

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"recallbench/internal/lists"
	"recallbench/internal/published"
	"recallbench/metrics"
)

// reasons lists why a measured cell may not be compared with a published one,
// from the protocol of the table and the header of the run. No reasons means
// comparable.
func (c comparison) reasons(p pair, cell published.Cell, m published.Metric, column metrics.Column, s scope) []string {
	var reasons []string
	add := func(differs bool, format string, args ...any) {
		if differs {
			reasons = append(reasons, fmt.Sprintf(format, args...))
		}
	}
	table, l := c.table, p.line
	method, _ := table.Method(p.row)
	reader, known := table.Reader(p.row.Model)

	if l.model.Offline {
		add(true, "reader: the offline backend, which is no language model; published with %s", p.row.Model)
	} else if own, ok := c.reader(l); known && (!ok || own.Row != p.row.Model) {
		add(true, "reader: %s; published with %s", l.model.Reader, p.row.Model)
	}
	embedder := l.model.Settings["embedder"]
	add(table.Embedding != "" && !method.NoEmbedding && embedder != table.Embedding,
		"embeddings: %s; published with %s", or(embedder, "not known"), table.Embedding)

	add(l.dataset.Caveat != "", "data: %s", l.dataset.Caveat)
	add(len(table.Data) == 0, "data: which files were used is not published")
	add(len(table.Data) > 0 && !slices.Contains(table.Data, l.dataset.SHA256),
		"data: sha256 %s; published on %s", short(l.dataset.SHA256), shortAll(table.Data))
	// Where the categories are the table's, adversarial questions are a category
	// of their own and in no cell.
	policy := l.dataset.Settings["category5"]
	add(table.Category5 != "" && !s.split && policy != table.Category5,
		"category 5: %s; published with %s", or(policy, "policy not known"), table.Category5)
	n, _ := l.n(s.ids)
	want := table.N(cell.Group, m)
	add(want == 0, "questions: how many is not published")
	add(want > 0 && n != want, "questions: %d; published over %d", n, want)
	add(c.sums(cell.Group) && table.Averaging == "", "averaging: over questions; how the published mean is taken is not known")

	add(column.Name != m.Column, "metric: %s; published %s", column.Name, m.Column)
	if m.Unit == published.Tokens {
		add(!sameTokenizer(l.model.Tokens, reader),
			"tokens: counted with %s; published with %s", or(l.model.Tokens, "no tokenizer"), or(reader.Tokenizer, "the provider's own count"))
		add(m.Counting == "", "tokens: what is counted is not published")
	}

	k := blocks(l)
	add(method.K > 0 && k != method.K, "k: %s; published with %d", or(option(l, "k"), "none"), method.K)
	for _, what := range method.Unpublished {
		add(true, "not published: %s", what)
	}
	return reasons
}

// sameTokenizer reports whether a line's tokenizer is the reader's: by its name,
// or a tokenizer.json in a folder that has the model's name.
func sameTokenizer(name string, reader published.Reader) bool {
	folder, _, file := strings.Cut(name, "/tokenizer.json")
	return name == reader.Tokenizer || file && (reader.Is(folder) || slices.ContainsFunc(reader.Names, func(n string) bool {
		return strings.EqualFold(path.Base(n), folder)
	}))
}

// blocks returns the option k of a line's method, 0 for none.
func blocks(l *line) int {
	var k int
	if err := json.Unmarshal([]byte(or(option(l, "k"), "0")), &k); err != nil {
		return 0
	}
	return k
}

// or returns s, or what stands for an empty one.
func or(s, empty string) string {
	if s == "" {
		return empty
	}
	return s
}

// shortAll returns the beginnings of digests.
func shortAll(digests []string) string {
	all := lists.Map(digests, short)
	return strings.Join(all, " or ")
}

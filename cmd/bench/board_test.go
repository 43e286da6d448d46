package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets/board"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// boardRows runs board and returns its cells by system and column.
func boardRows(t *testing.T, args ...string) (title string, rows map[string]map[string]string) {
	t.Helper()
	var doc struct {
		Tables []struct {
			Title   string
			Columns []struct{ Name string }
			Rows    [][]struct{ Text string }
		}
	}
	try.Do(t, json.Unmarshal([]byte(must(t, append([]string{"table", "board", "--format", "json"}, args...)...).stdout), &doc))
	rows = make(map[string]map[string]string)
	for _, row := range doc.Tables[0].Rows {
		cells := make(map[string]string)
		for i, c := range doc.Tables[0].Columns {
			cells[c.Name] = row[i].Text
		}
		rows[row[0].Text] = cells
	}
	return doc.Tables[0].Title, rows
}

// TestBoard scores the published answers at hand: what sources claim comes out, and
// docs/board.md and the README have the rows.
func TestBoard(t *testing.T) {
	longtest.Skip(t)
	data := realdata.Datasets(t)
	// The conversations of a system that answers every question with the gold answer,
	// in a form of its own.
	var conversations []struct {
		QA []struct {
			Question string
			Answer   any
			Category int
		}
	}
	raw, err := os.ReadFile(filepath.Join(data, "locomo", "locomo10.json"))
	try.Do(t, err)
	try.Do(t, json.Unmarshal(raw, &conversations))
	mine := make(map[string][]map[string]any)
	for i, c := range conversations {
		for j, qa := range c.QA {
			if qa.Category != 5 && (i > 0 || j > 0) { // one is missing
				mine[fmt.Sprint("talk_", i)] = append(mine[fmt.Sprint("talk_", i)], map[string]any{"ask": qa.Question, "said": map[string]any{"text": fmt.Sprint(qa.Answer)}, "ok": true})
			}
		}
	}
	raw, err = json.Marshal(mine)
	try.Do(t, err)
	file, layout := write(t, "mine.json", string(raw)), write(t, "mine.yaml", "name: mine\nitems: \"*[*]\"\ncluster: \"@1\"\nquestion: ask\nanswer: said.text\nverdicts: [{judge: mine, path: ok}]\n")
	cards := write(t, "cards.yaml", fmt.Sprintf("- {system: Mine, dataset: locomo, source: here, licence: none, claimed: 100, layout: %q, read: %q}\n", layout, file))
	title, rows := boardRows(t, "--data", data, "--cards", cards)
	if !strings.HasPrefix(title, "Mine has the best answers, significantly better than all others") {
		t.Errorf("title %q", title)
	}
	if r := rows["Mine"]; r["rank"] != "1" || r["missing"] != "1" || r["own-judge"] != "99.94" {
		t.Errorf("a system of one's own: %v", r)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "board.md"))
	try.Do(t, err)
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	try.Do(t, err)
	seen := 0
	for _, c := range board.Shipped() {
		r := rows[c.Label()]
		if r == nil {
			t.Logf("%s is not here", c.Label())
			continue
		}
		seen++
		var judged float64
		if _, err := fmt.Sscan(r["own-judge"], &judged); err != nil || math.Abs(judged-*c.Claimed) > 0.15 {
			t.Errorf("%s: its judge says %s, it claims %g", c.Label(), r["own-judge"], *c.Claimed)
		}
		for _, page := range []struct{ name, text string }{{"docs/board.md", string(page)}, {"README.md", string(readme)}} {
			if !hasRow(page.text, c.Label(), r["f1@span"], r["own-judge"], r["words"], r["f1@mem0"]) {
				t.Errorf("%s has another row of %s than %v", page.name, c.Label(), r)
			}
		}
	}
	if seen < 7 {
		t.Errorf("%d systems, want at least 7", seen)
	}
}

// hasRow reports whether a page has a row of a table that begins with a name and has all
// cells.
func hasRow(page, name string, cells ...string) bool {
	for line := range strings.Lines(page) {
		if rest, ok := strings.CutPrefix(line, "| "+name); ok {
			found := true
			for _, c := range cells {
				found = found && strings.Contains(rest, " "+c+" |")
			}
			return found
		}
	}
	return false
}

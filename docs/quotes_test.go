package docs_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"recallbench/internal/testkit/realdata"
)

// quotedWords is how many words in a row are a quotation.
const quotedWords = 8

// normalWords returns the words of a text in lower case, without apostrophes.
func normalWords(text string) []string {
	text = strings.NewReplacer("'", "", "’", "", `\n`, " ", `\"`, " ").Replace(strings.ToLower(text))
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// quotations calls found for each run of eight words, by its hash, of which three or more are
// not common.
func quotations(words []string, common map[string]bool, found func(hash uint64, at int)) {
	for i := 0; i+quotedWords <= len(words); i++ {
		rare := 0
		h := fnv.New64a()
		for _, w := range words[i : i+quotedWords] {
			_, _ = io.WriteString(h, w+" ") // never fails
			if !common[w] {
				rare++
			}
		}
		if rare >= 3 {
			found(h.Sum64(), i)
		}
	}
}

// TestNothingQuoted looks for texts of data sets with a non-commercial licence in what the
// repository holds: eight words in a row, of which at least three are not among the 300 that
// these sets use most. Such a run of common words alone is chance.
func TestNothingQuoted(t *testing.T) {
	data := realdata.Datasets(t)
	var texts [][]string
	count := make(map[string]int)
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			words := normalWords(v)
			for _, w := range words {
				count[w]++
			}
			texts = append(texts, words)
		case []any:
			for _, of := range v {
				collect(of)
			}
		case map[string]any:
			for _, of := range v {
				collect(of)
			}
		}
	}
	for _, set := range []string{"locomo/locomo10.json", "locomo-audit/errors.json", "locomo-audit/model_answers.jsonl", "dialogre/*.json", "perltqa/*.sample.json", "answers/zep-locomo/*.json"} {
		files, _ := filepath.Glob(filepath.Join(data, filepath.FromSlash(set))) // a good pattern
		for _, file := range files {
			if strings.HasPrefix(filepath.Base(file), "expected") {
				continue
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for dec := json.NewDecoder(bytes.NewReader(raw)); dec.More(); {
				var v any
				if err := dec.Decode(&v); err != nil {
					t.Fatal(file, err)
				}
				collect(v)
			}
		}
	}
	common := make(map[string]bool)
	for range 300 {
		most := ""
		for w, n := range count {
			if !common[w] && (most == "" || n > count[most] || n == count[most] && w < most) {
				most = w
			}
		}
		common[most] = true
	}
	of := make(map[uint64]bool)
	for _, words := range texts {
		quotations(words, common, func(hash uint64, _ int) { of[hash] = true })
	}
	if len(of) < 100_000 {
		t.Fatalf("%d runs of words, want those of LoCoMo at least", len(of))
	}
	git := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	git.Dir = ".."
	tracked, err := git.Output()
	if err != nil {
		t.Skipf("no checkout of git: %v", err)
	}
	n := 0
	for name := range strings.SplitSeq(strings.TrimSuffix(string(tracked), "\x00"), "\x00") {
		raw, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			continue // deleted, and not yet committed so
		}
		if packed, err := gzip.NewReader(bytes.NewReader(raw)); err == nil {
			raw, _ = io.ReadAll(packed) // what there is
		}
		n++
		words := normalWords(strings.ToValidUTF8(string(raw), " ")) // recordings hold texts as they are
		said := 0
		quotations(words, common, func(hash uint64, at int) {
			if of[hash] {
				if said++; said <= 3 {
					t.Errorf("%s quotes a data set that is not for commercial use: %q", name, strings.Join(words[at:at+quotedWords], " "))
				}
			}
		})
	}
	t.Log(fmt.Sprint(n, " files, ", len(of), " runs of words"))
}

package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/jsonl"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/durable"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/spreadsheet"
)

// auditShare is one in how many samples are drawn for the audit: 5 %.
const auditShare = 20

// A buildFolder is what a folder of a built dataset holds.
type buildFolder struct {
	dataset string
	seed    uint64
	build   *datasets.Build
}

// write writes the files, build.json last.
func (b buildFolder) write(ctx context.Context, dir string) error {
	info := jsonl.BuildInfo{
		Version: jsonl.BuildVersion, Dataset: b.dataset, Seed: b.seed, Source: b.build.Source, SHA256: b.build.SHA256,
	}
	files := map[string]func(io.Writer) error{
		"sessions.csv":    b.sessions,
		"audit.csv":       func(w io.Writer) error { return b.audit(ctx, w) },
		"statistics.json": b.statistics,
	}
	names := []string{"sessions.csv", "audit.csv", "statistics.json"}
	for _, s := range b.build.Splits {
		info.Splits = append(info.Splits, jsonl.BuiltSplit{Name: s.Name, Caveat: s.Set.Caveat, Settings: s.Set.Settings})
		name := s.Name + ".jsonl"
		names = append(names, name)
		files[name] = func(w io.Writer) error { return jsonl.Write(ctx, w, s.Set) }
	}
	slices.Sort(names)
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := durable.WriteFile(path, files[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sum, err := fileSum(path)
		if err != nil {
			return err
		}
		info.Files = append(info.Files, jsonl.BuiltFile{Name: name, SHA256: sum})
	}
	return durable.WriteFile(filepath.Join(dir, jsonl.BuildFile), func(w io.Writer) error { return jsonout.Indented(w, info) })
}

// fileSum returns the SHA-256 of a file in hex.
func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, bufio.NewReader(f)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func (b buildFolder) sessions(w io.Writer) error {
	rows := [][]string{{"split", "sample", "session", "origin", "turns", "end", "gap_hours"}}
	for _, s := range b.build.Splits {
		for _, x := range s.Sessions {
			rows = append(rows, []string{s.Name, x.Sample, x.Session, x.Origin, strconv.Itoa(x.Turns), x.End, strconv.Itoa(x.Gap)})
		}
	}
	return spreadsheet.NewWriter(w).WriteAll(rows)
}

func (b buildFolder) statistics(w io.Writer) error {
	all := make(map[string]map[string]int)
	for _, s := range b.build.Splits {
		all[s.Name] = s.Counts
	}
	return jsonout.Indented(w, all)
}

// audit writes the questions of the samples that were drawn for people to check.
func (b buildFolder) audit(ctx context.Context, w io.Writer) error {
	rows := [][]string{{"split", "sample", "request", "category", "labels", "question", "answer", "variants", "evidence", "verdict", "note"}}
	for _, s := range b.build.Splits {
		for _, i := range b.drawn(s) {
			sample, err := s.Set.Load(ctx, i)
			if err != nil {
				return err
			}
			said := make(map[string]string)
			for _, session := range sample.Sessions {
				for _, t := range session.Turns {
					said[t.ID] = t.ID + " " + t.Speaker + ": " + t.Text
				}
			}
			for _, r := range sample.Requests {
				g, _ := s.Set.Gold(sample.ID, r.ID)
				evidence := lists.Map(g.Evidence, func(id string) string { return said[id] })
				rows = append(rows, []string{
					s.Name, sample.ID, r.ID, s.Set.CategoryName(g.Category), labelled(g.Labels), r.Text, g.Answer,
					strings.Join(g.Variants, " | "), strings.Join(evidence, "\n"), "", "",
				})
			}
		}
	}
	return spreadsheet.NewWriter(w).WriteAll(rows)
}

func labelled(labels map[string]string) string {
	var all []string
	for name, value := range labels {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// drawn returns which samples of a split are audited, in order: one in
// auditShare, at least one.
func (b buildFolder) drawn(s datasets.Split) []int {
	h := fnv.New64a()
	_, _ = h.Write([]byte("audit " + s.Name))
	random := rand.New(rand.NewPCG(b.seed, h.Sum64()))
	n := len(s.Set.Entries)
	chosen := random.Perm(n)[:(n+auditShare-1)/auditShare]
	slices.Sort(chosen)
	return chosen
}

package scored_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// answered are the two types that describe an answered question.
var answered = []string{
	"internal/result/record.Record",  // what was asked and came back
	"internal/result/scored.Request", // the same with gold answer, scores, evidence and judgements
}

// exceptions have the fields of an answered question, and a reason to be types of their own.
var exceptions = map[string]string{
	"metrics.Item":                        "what a metric and a judge see: neither knows of runs",
	"datasets/errata.Entry":               "a line of a file of errata, about gold answers alone",
	"datasets/errata.auditEntry":          "an entry of a published audit, about gold answers alone",
	"internal/publish/htmlreport.detail":  "JSON of a record for pages, without what their index has",
	"internal/publish/interchange.Layout": "paths into files of other tools",
	"internal/result/record.Judgement":    "a verdict, which knows answer and gold answer by their hashes",
	"runners.judged":                      "the key of a verdict",
}

// TestShapes finds each struct of the program that holds a question or a request, an answer
// and a gold answer: only the two that describe an answered question may.
func TestShapes(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	var found []string
	files := token.NewFileSet()
	try.Do(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "testkit"):
			return fs.SkipDir
		case entry.IsDir(), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(try.Get(filepath.Rel(root, filepath.Dir(path)))(t))
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok && holdsAnswer(s) {
					found = append(found, dir+"."+spec.Name.Name)
				}
			}
			return true
		})
		return nil
	}))
	for _, name := range found {
		if !slices.Contains(answered, name) && exceptions[name] == "" {
			t.Errorf("%s holds a question, an answer and a gold answer; use scored.Request, or give the reason among the exceptions", name)
		}
	}
	for name := range exceptions {
		if !slices.Contains(found, name) {
			t.Errorf("%s is an exception, but holds no answered question", name)
		}
	}
}

// The names of fields, and the types, that say what a struct holds.
var (
	questions = []string{"question", "request", "id", "subject", "key", "record.Gold", "record.Record"}
	answers   = []string{"answer", "answers", "prediction", "response", "reply", "text", "record.Record"}
	goldNames = []string{"gold", "truth", "target", "expected", "record.Gold"}
)

// holdsAnswer reports whether a struct holds a question or a request, an answer and a gold
// answer.
func holdsAnswer(s *ast.StructType) bool {
	var has []string
	for _, f := range s.Fields.List {
		kind := strings.TrimLeft(types.ExprString(f.Type), "*")
		for _, name := range f.Names {
			has = append(has, strings.ToLower(name.Name))
		}
		if len(f.Names) == 0 {
			has = append(has, strings.ToLower(kind[strings.LastIndexByte(kind, '.')+1:]))
		}
		has = append(has, kind)
	}
	hasAny := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(has, name) })
	}
	return hasAny(questions) && hasAny(answers) && hasAny(goldNames)
}

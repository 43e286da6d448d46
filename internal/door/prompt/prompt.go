// Package prompt renders the prompts of methods.
//
// A prompt is a text/template file NAME.tmpl next to the method that uses it.
// It defines a template "user" and may define a template "system"; each gives
// one message. A folder named in the run file may have METHOD/NAME.tmpl files
// that replace the built-in ones.
package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// A Set has the prompts of one method.
type Set struct {
	templates map[string]*template.Template
	texts     Texts
	hash      string
}

// Texts are templates by the names of their files, NAME.tmpl.
type Texts map[string]string

// Folder reads the templates of a folder. A missing folder has none.
func Folder(files fs.FS, folder string) (Texts, error) {
	entries, err := fs.ReadDir(files, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	texts := make(Texts)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".tmpl") {
			continue
		}
		text, err := fs.ReadFile(files, path.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		texts[e.Name()] = string(text)
	}
	return texts, err
}

// Embedded returns the templates in the folder prompts of a package's embedded files.
func Embedded(files fs.FS) Texts {
	texts, err := Folder(files, "prompts")
	if err != nil {
		panic(err) // they are part of the program
	}
	return texts
}

// Join returns several sets of templates as one, for a method with prompts of its
// own in addition to those of its parts. Of texts with the same name the first
// counts.
func Join(all ...Texts) Texts {
	joined := make(Texts)
	for _, texts := range slices.Backward(all) {
		maps.Copy(joined, texts)
	}
	return joined
}

// Load reads the prompts of a method: the built-in ones, each replaced by the file
// METHOD/NAME.tmpl in override if it exists. Override may be nil. All faults are reported
// at once.
func Load(method string, builtin Texts, override fs.FS) (*Set, error) {
	s := &Set{templates: make(map[string]*template.Template), texts: make(Texts)}
	names := slices.Sorted(maps.Keys(builtin))
	var own Texts
	var err error
	if override != nil {
		if own, err = Folder(override, method); err != nil {
			return nil, fmt.Errorf("prompts of %s: %w", method, err)
		}
	}
	var faults fault.List
	for _, name := range slices.Sorted(maps.Keys(own)) {
		faults.Want(slices.Contains(names, name), "prompts: %s/%s replaces nothing; %s has %s", method, name, method, strings.Join(names, ", "))
	}
	sum := sha256.New()
	for _, name := range names {
		text, from := builtin[name], name
		if replaced, ok := own[name]; ok {
			text, from = replaced, path.Join(method, name)
		}
		t, err := template.New(from).Option("missingkey=error").Parse(text)
		if err != nil {
			faults = append(faults, fmt.Errorf("prompts: %w", err))
			continue
		}
		if t.Lookup("user") == nil {
			faults = append(faults, fmt.Errorf("prompts: %s: no template \"user\"; want {{define \"user\"}}...{{end}}", from))
			continue
		}
		short := strings.TrimSuffix(name, ".tmpl")
		s.templates[short], s.texts[short] = t, text
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	s.hash = hex.EncodeToString(sum.Sum(nil))
	return s, errors.Join(faults...)
}

// Hash is the SHA-256 of the prompts' names and texts, in hex.
func (s *Set) Hash() string { return s.hash }

// HashOf is the SHA-256 of the names and texts of some of the prompts, in hex. It
// panics for an unknown name.
func (s *Set) HashOf(names ...string) string {
	sum := sha256.New()
	for _, name := range names {
		text, ok := s.texts[name]
		if !ok {
			panic("prompt: no prompt " + name)
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Render executes the prompt of the given name: a system message, if the prompt
// defines one, and a user message. White space around a message is trimmed.
func (s *Set) Render(name string, data any) ([]llm.Message, error) {
	messages, err := s.Exact(name, data)
	for i := range messages {
		messages[i].Content = strings.TrimSpace(messages[i].Content)
	}
	return messages, err
}

// Exact is [Set.Render] without trimming.
func (s *Set) Exact(name string, data any) ([]llm.Message, error) {
	t, ok := s.templates[name]
	if !ok {
		return nil, fmt.Errorf("no prompt %q", name)
	}
	var messages []llm.Message
	for _, role := range []llm.Role{llm.System, llm.User} {
		if t.Lookup(string(role)) == nil {
			continue
		}
		var b strings.Builder
		if err := t.ExecuteTemplate(&b, string(role), data); err != nil {
			return nil, fmt.Errorf("prompt: %w", err)
		}
		messages = append(messages, llm.Message{Role: role, Content: b.String()})
	}
	return messages, nil
}

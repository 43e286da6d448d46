// Package clone reads prompts out of a clone of their authors' repository, so that
// a run can use the authors' very words and this project needs no copy of them.
//
// A [Source] is a method's table: for each of its templates, the file of the
// clone, its hash, the place of the text in it, and how the text's placeholders
// become fields of the template. A text is a Python string or one of a YAML file.
package clone

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/door/prompt"
)

// Options are a method's options about the words of its prompts.
type Options struct {
	// From is a clone of the authors' repository, whose prompts replace this
	// project's; empty keeps these. docs/methods.md names repository and commit.
	From string `yaml:"from"`
}

// A Source says where a repository has the prompts of a method.
type Source struct {
	Repository string // such as https://github.com/OWNER/NAME
	Commit     string // the one that the hashes are of
	// Files have the SHA-256 of each file; empty where each text has its own.
	Files map[string]string
	// Prompts are by the names of the method's templates.
	Prompts map[string]Prompt
}

// A Prompt is the texts of a template. One without a file and without what the
// code puts behind it is none.
type Prompt struct{ System, User Text }

// A Text is a text within a file.
type Text struct {
	File string // one of Files, which have hashes
	// After lists what stands before the text, in order: behind the last the string
	// begins. Each is looked for behind the one before.
	After []string
	// Key is the path of keys to the text of a YAML file, whose ends are trimmed.
	Key []string
	// SHA256 is that of the text, in hex; empty where the file has one.
	SHA256 string
	// Format says that braces hold placeholders although the string is not an
	// f-string.
	Format bool
	// Fields gives for each placeholder, as the braces have it, what stands in its
	// place in the template, such as {{.Content}}.
	Fields map[string]string
	// Slots are what stands in the place of {}, in order, and Marks what stands in the
	// place of other texts, such as <answer>.
	Slots []string
	Marks map[string]string
	// Then is what the code puts behind the text, in the template's terms; all of it
	// where there is no file.
	Then string
}

// ErrChanged is in the chain of an error about a file or text whose hash is another
// than the table's.
var ErrChanged = errors.New("the clone is of another state")

// Templates reads the prompts of a clone and returns them as templates; nil where
// the options name none. A relative folder starts at base. All faults are reported
// at once.
func (s Source) Templates(base string, o Options) (fs.FS, error) {
	if o.From == "" {
		return nil, nil
	}
	dir := o.From
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(base, dir)
	}
	texts, err := s.files(dir)
	if err != nil {
		return nil, err
	}
	templates := make(map[string]string)
	var faults []error
	for name, p := range s.Prompts {
		text, err := p.template(texts)
		if err != nil {
			faults = append(faults, fmt.Errorf("prompts.from: %s: prompt %s: %w", dir, name, err))
		}
		templates[name+".tmpl"] = text
	}
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return prompt.Texts(templates), errors.Join(faults...)
}

// files reads the files of the clone whose hashes are the table's.
func (s Source) files(dir string) (map[string]string, error) {
	texts := make(map[string]string)
	var faults []error
	for name, want := range s.Files {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			faults = append(faults, fmt.Errorf("prompts.from: %w; want a clone of %s at commit %s", err, s.Repository, s.Commit))
			continue
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); want != "" && got != want {
			faults = append(faults, fmt.Errorf("prompts.from: %s has the SHA-256 %s, want %s; check out commit %s of %s: %w",
				filepath.Join(dir, name), got, want, s.Commit, s.Repository, ErrChanged))
		}
		texts[name] = strings.ReplaceAll(string(data), "\r\n", "\n") // as Python reads it
	}
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return texts, errors.Join(faults...)
}

func (p Prompt) template(files map[string]string) (string, error) {
	var b strings.Builder
	for _, message := range []struct {
		name string
		text Text
	}{{"system", p.System}, {"user", p.User}} {
		if message.text.File == "" && message.text.Then == "" {
			continue
		}
		text, err := message.text.body(files)
		if err != nil {
			return "", fmt.Errorf("%s: %w", message.name, err)
		}
		fmt.Fprintf(&b, "{{define %q}}%s{{end}}", message.name, text)
	}
	return b.String(), nil
}

// body returns the text with fields in place of placeholders.
func (t Text) body(files map[string]string) (string, error) {
	if t.File == "" {
		return t.Then, nil
	}
	code, ok := files[t.File]
	if !ok {
		return "", fmt.Errorf("the table has no hash of %s", t.File)
	}
	text, formatted, err := t.read(code)
	if err != nil {
		return "", fmt.Errorf("%s, %w", t.File, err)
	}
	sum := sha256.Sum256([]byte(text))
	if got := hex.EncodeToString(sum[:]); t.SHA256 != "" && got != t.SHA256 {
		return "", fmt.Errorf("%s, behind %q: the text has the SHA-256 %s, want %s: %w", t.File, append(t.After, t.Key...), got, t.SHA256, ErrChanged)
	}
	if formatted || t.Format {
		if text, err = t.fill(text); err != nil {
			return "", fmt.Errorf("%s, behind %q: %w", t.File, t.After, err)
		}
	} else {
		text = literal(text)
	}
	for mark, field := range t.Marks {
		if !strings.Contains(text, mark) {
			return "", fmt.Errorf("%s, behind %q: the text has no %s", t.File, t.After, mark)
		}
		text = strings.ReplaceAll(text, mark, field)
	}
	return text + t.Then, nil
}

// read returns the text, and whether it is a formatted string.
func (t Text) read(file string) (text string, formatted bool, err error) {
	if len(t.Key) > 0 {
		text, err = yamlString(file, t.Key)
		return text, false, err
	}
	for _, mark := range t.After {
		_, rest, found := strings.Cut(file, mark)
		if !found {
			return "", false, fmt.Errorf("which has no %q", mark)
		}
		file = rest
	}
	if strings.HasPrefix(file, "`") {
		text, err = scriptString(file)
	} else {
		text, formatted, err = pythonString(file)
	}
	if err != nil {
		return "", false, fmt.Errorf("behind %q: %w", t.After, err)
	}
	return text, formatted, nil
}

// yamlString returns the string at a path of keys, without white space at its ends.
func yamlString(file string, keys []string) (string, error) {
	var v any
	if err := yaml.Unmarshal([]byte(file), &v); err != nil {
		return "", err
	}
	for _, key := range keys {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	text, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("which has no text at %s", strings.Join(keys, "."))
	}
	return strings.TrimSpace(text), nil
}

// scriptString returns the template literal of JavaScript that code begins with. One that
// holds expressions or escapes is an error.
func scriptString(code string) (string, error) {
	text, _, closed := strings.Cut(code[1:], "`")
	if !closed || strings.Contains(text, "${") || strings.Contains(text, `\`) {
		return "", errors.New("want a template literal without ${} and escapes")
	}
	return text, nil
}

// fill replaces placeholders, and doubled braces by single ones.
func (t Text) fill(text string) (string, error) {
	var b, plain strings.Builder
	slots := t.Slots
	for text != "" {
		at := strings.IndexAny(text, "{}")
		if at < 0 {
			break
		}
		plain.WriteString(text[:at])
		brace := text[at : at+1]
		text = text[at+1:]
		if strings.HasPrefix(text, brace) {
			plain.WriteString(brace)
			text = text[1:]
			continue
		}
		name, rest, closed := strings.Cut(text, "}")
		field, known := t.Fields[name]
		if name == "" && len(slots) > 0 {
			field, known, slots = slots[0], true, slots[1:]
		}
		if brace == "}" || !closed || !known {
			return "", fmt.Errorf("the table has no placeholder {%s}", name)
		}
		b.WriteString(literal(plain.String()) + field)
		plain.Reset()
		text = rest
	}
	plain.WriteString(text)
	return b.String() + literal(plain.String()), nil
}

// literal writes a text so that a template shows it as it is.
func literal(text string) string { return strings.ReplaceAll(text, "{", `{{"{"}}`) }

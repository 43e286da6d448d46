package beam

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets/internal/reread"
)

// A conversation is a folder of the release.
type conversation struct {
	size   string
	number int
	dir    string
	plans  []string      // the files of the chat, one for each plan or a single one
	parts  []reread.Part // of the files, as read
	caveat string        // what is missing
}

func (c *conversation) id() string { return fmt.Sprintf("%s-%d", c.size, c.number) }

const whence = "run 'bench data fetch beam --size 100K', or set path to a folder chats of your own"

// find lists the conversations that the options select, by size and number.
func (l *loader) find() (all []*conversation, err error) {
	var faults []error
	for _, size := range l.options.Sizes {
		found, err := l.ofSize(size)
		faults, all = append(faults, err), append(all, found...)
	}
	for _, n := range l.options.Conversations {
		if !slices.ContainsFunc(all, func(c *conversation) bool { return c.number == n }) {
			faults = append(faults, fmt.Errorf("%s: no conversation %d in %s", l.root, n, strings.Join(l.options.Sizes, ", ")))
		}
	}
	return all, errors.Join(faults...)
}

func (l *loader) ofSize(size string) (all []*conversation, err error) {
	dir := filepath.Join(l.root, size)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, whence)
	}
	var faults []error
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil || !e.IsDir() || len(l.options.Conversations) > 0 && !slices.Contains(l.options.Conversations, n) {
			continue
		}
		c := &conversation{size: size, number: n, dir: filepath.Join(dir, e.Name())}
		faults, all = append(faults, c.find()), append(all, c)
	}
	slices.SortFunc(all, func(a, b *conversation) int { return a.number - b.number })
	if len(all) == 0 {
		faults = append(faults, fmt.Errorf("%s: there is no conversation: %w; %s", dir, fs.ErrNotExist, whence))
	}
	return all, errors.Join(faults...)
}

// plans is how many parts the longest conversations have.
const plans = 10

// find finds the files of the chat: the version that the authors shortened for their
// evaluation if there is one, otherwise the whole, otherwise its plans.
func (c *conversation) find() error {
	there := func(file string) bool {
		_, err := os.Stat(filepath.Join(c.dir, file))
		return err == nil
	}
	for _, file := range []string{"chat_trunecated.json", "chat.json"} {
		if there(file) {
			c.plans = []string{filepath.Join(c.dir, file)}
			return nil
		}
	}
	missing := ""
	for i := range plans {
		switch file := filepath.Join("plan-"+strconv.Itoa(i), "chat.json"); {
		case !there(file) && missing == "":
			missing = filepath.Join(c.dir, file)
		case there(file) && missing != "":
			return fmt.Errorf("%s: is missing although later plans exist: %w", missing, fs.ErrNotExist)
		case there(file):
			c.plans = append(c.plans, filepath.Join(c.dir, file))
		}
	}
	if len(c.plans) == 0 {
		return fmt.Errorf("%s: has no chat_trunecated.json or chat.json: %w", c.dir, fs.ErrNotExist)
	}
	if n := plans - len(c.plans); n > 0 {
		c.caveat = fmt.Sprintf("%s is without the last %d of %d plans", c.id(), n, plans)
	}
	return nil
}

// planned reports whether the files of the chat are its plans, each with ids counted from
// the start.
func (c *conversation) planned() bool { return filepath.Dir(c.plans[0]) != c.dir }

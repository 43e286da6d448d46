package beam

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

// A conversation is a folder of the release.
type conversation struct {
	size   string
	number int
	dir    string
	chat   []chatFile // in order
	caveat string     // what of it is not there
	bytes  int64      // of the chat
	// sums are the SHA-256 of what was read, in hex, by path.
	sums map[string]string
}

// A chatFile is a file with messages.
type chatFile struct {
	path string
	plan int // of the conversation, from 1; 0 where the file has all plans, or there are none
}

func (c *conversation) id() string { return fmt.Sprintf("%s-%d", c.size, c.number) }

// lines are what the hash of the set is over: a line for each file.
func (c *conversation) lines() []string {
	var all []string
	for path, sum := range c.sums {
		if within, err := filepath.Rel(filepath.Dir(filepath.Dir(c.dir)), path); err == nil {
			path = filepath.ToSlash(within)
		}
		all = append(all, path+"\t"+sum+"\n")
	}
	return all
}

const whence = "'bench data fetch beam --size 100K' gets a size, and path names a folder chats of your own"

// find lists the conversations that the options select, by size and number.
func (o Options) find(env datasets.Env) ([]*conversation, error) {
	root := env.Resolve(o.Path)
	switch {
	case o.Path == "" && env.Dir == "":
		return nil, datasets.NoFolder(whence)
	case o.Path == "":
		root = filepath.Join(env.Dir, name, "chats")
	case len(o.Sizes) == 1 && filepath.Base(root) == o.Sizes[0]:
		root = filepath.Dir(root)
	}
	var all []*conversation
	var faults []error
	for _, size := range o.Sizes {
		found, err := o.ofSize(root, size)
		faults = append(faults, err)
		all = append(all, found...)
	}
	for _, n := range o.Conversations {
		if !slices.ContainsFunc(all, func(c *conversation) bool { return c.number == n }) {
			faults = append(faults, fmt.Errorf("%s: no conversation %d in %s", root, n, strings.Join(o.Sizes, ", ")))
		}
	}
	return all, errors.Join(faults...)
}

func (o Options) ofSize(root, size string) (all []*conversation, err error) {
	dir := filepath.Join(root, size)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, whence)
	}
	var faults []error
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil || !e.IsDir() || len(o.Conversations) > 0 && !slices.Contains(o.Conversations, n) {
			continue
		}
		c := &conversation{size: size, number: n, dir: filepath.Join(dir, e.Name())}
		faults = append(faults, c.find())
		all = append(all, c)
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
// evaluation, where there is one.
func (c *conversation) find() error {
	names := []string{"chat_trunecated.json", "chat.json"}
	for _, file := range names {
		path := filepath.Join(c.dir, file)
		if _, err := os.Stat(path); err == nil {
			c.chat = []chatFile{{path: path}}
			return nil
		}
	}
	var missing []string
	if c.size == "10M" {
		for i := range plans {
			path := filepath.Join(c.dir, "plan-"+strconv.Itoa(i), "chat.json")
			if _, err := os.Stat(path); err != nil {
				missing = append(missing, path)
				continue
			}
			if len(missing) > 0 {
				return fmt.Errorf("%s: is not there, and later plans are: %w", missing[0], fs.ErrNotExist)
			}
			c.chat = append(c.chat, chatFile{path: path, plan: i + 1})
		}
	}
	if len(c.chat) == 0 {
		return fmt.Errorf("%s: has no %s: %w", c.dir, strings.Join(names, " or "), fs.ErrNotExist)
	}
	if len(missing) > 0 {
		c.caveat = fmt.Sprintf("%s is without the last %d of %d plans", c.id(), len(missing), plans)
	}
	return nil
}

// maxSmall is the size of a file with questions or a topic above which it is
// refused, 64 MiB.
const maxSmall = 64 << 20

// small reads a file other than the chat. Its cursor reports to the faults; it is nil
// where the file has no JSON.
func (c *conversation) small(ctx context.Context, file string, faults *datafile.Faults) (*jsontree.Cursor, error) {
	path := filepath.Join(c.dir, filepath.FromSlash(file))
	data, err := datafile.Read(ctx, path, maxSmall)
	if err != nil {
		return nil, err
	}
	c.note(path, sumOf(data))
	faults.File = path
	return faults.Root(data, c.id()+": "), nil
}

func (c *conversation) note(path, sum string) {
	if c.sums == nil {
		c.sums = make(map[string]string)
	}
	c.sums[path] = sum
}

// topic returns what the conversation is about.
func (c *conversation) topic(ctx context.Context, faults *datafile.Faults) (string, error) {
	root, err := c.small(ctx, "topic.json", faults)
	var topic struct {
		Category string `json:"category" want:"required"`
	}
	if err == nil && root != nil {
		root.Decode(&topic)
	}
	return strings.Clone(topic.Category), err
}

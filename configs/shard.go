package configs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Shard is one of several parts of a run that differ in the samples alone. The
// zero Shard is the whole run. As a text it is "2/4".
type Shard struct {
	Index int // from 1
	Of    int // number of parts
}

// ParseShard reads a shard such as "2/4".
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, err := strconv.ParseUint(index, 10, 31)
	n, err2 := strconv.ParseUint(of, 10, 31)
	if !ok || err != nil || err2 != nil || i < 1 || i > n {
		return Shard{}, errors.New("want a part of all such as 2/4, from 1/4 to 4/4")
	}
	return Shard{int(i), int(n)}, nil
}

// String returns the shard as "2/4", and nothing for the whole run.
func (s Shard) String() string {
	if s == (Shard{}) {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// MarshalText implements [encoding.TextMarshaler].
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Shard) UnmarshalText(text []byte) (err error) {
	*s, err = ParseShard(string(text))
	return err
}

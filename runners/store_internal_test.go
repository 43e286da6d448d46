package runners

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"recallbench/methods"
)

// A failing is a file that cannot be written to, which shows after a time.
type failing chan error

func (f failing) Append(...any) error { return <-f }
func (failing) Close() error          { return nil }

// words count the words of a text as its tokens.
type words struct{}

func (words) Name() string          { return "words" }
func (words) Count(text string) int { return len(strings.Fields(text)) }

// Where a block cannot be written, no request that shows it gets a reference: its record
// would point at nothing.
func TestBlockIsNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, full := newStore(&cell{}), errors.New("the disk is full")
		file, ended := make(failing), make(chan error, 3)
		s.blocks = file
		add := func() {
			_, err := s.addBlocks("talk", []methods.Evidence{{ID: "t1", Text: "a turn"}}, words{})
			ended <- err
		}
		go add()
		synctest.Wait()
		go add() // while the first one is writing
		synctest.Wait()
		file <- full
		synctest.Wait()
		go add() // and after
		for range 3 {
			if err := <-ended; !errors.Is(err, full) {
				t.Errorf("got %v, want that the disk is full", err)
			}
		}
	})
}

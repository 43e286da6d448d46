package backend

import (
	"io"
	"sync"
)

// Shared has what entries need to open only once, whatever their seed, such as
// local models, which take memory and time. It is safe for concurrent use; nil
// shares nothing.
type Shared struct {
	mu   sync.Mutex
	held map[any]*holding

	told sync.Map // remarks
}

// A holding is a value that someone has taken.
type holding struct {
	value io.Closer
	users int
}

// Take returns the value of a key: the one that others have taken and not yet
// released, or else a new one from open. Its type and key are the same for all
// who share it; the key has everything that the value depends on. The caller
// must call release once; the last one closes the value.
func Take[T io.Closer](s *Shared, key any, open func() (T, error)) (value T, release func() error, err error) {
	if s == nil {
		value, err = open()
		return value, func() error { return value.Close() }, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.held[key]
	if h == nil {
		value, err = open()
		if err != nil {
			return value, nil, err
		}
		h = &holding{value: value}
		if s.held == nil {
			s.held = make(map[any]*holding)
		}
		s.held[key] = h
	}
	h.users++
	return h.value.(T), func() error { return s.release(key, h) }, nil //nolint:forcetypeassert // see above
}

func (s *Shared) release(key any, h *holding) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.users--
	if h.users > 0 {
		return nil
	}
	delete(s.held, key)
	return h.value.Close()
}

// WarnOnce reports whether a remark is new, and notes it.
func (s *Shared) WarnOnce(remark string) bool {
	if s == nil {
		return true
	}
	_, told := s.told.LoadOrStore(remark, true)
	return !told
}

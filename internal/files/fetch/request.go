package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxRedirects is how often a server may send the request elsewhere.
const maxRedirects = 5

// checkURL refuses what is not encrypted: a hash tells that a file is right,
// but not who saw it being fetched.
func checkURL(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	if u.Scheme != "https" {
		return fmt.Errorf("%s: want an https address", address)
	}
	return nil
}

// request asks for a file.
func (f *Fetcher) request(ctx context.Context, file File) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, file.URL, http.NoBody)
	if err != nil {
		return nil, err
	}
	// A transport would else ask for gzip, whose length is not the file's.
	req.Header.Set("Accept-Encoding", "identity")
	client := http.Client{}
	if f.Client != nil {
		client = *f.Client
	}
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return checkURL(req.URL.String())
	}
	resp, err := client.Do(req)
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err
		}
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, &ServerError{file.URL, err}
	}
	return resp, nil
}

// errStalled is why a download that does not move is given up.
var errStalled = errors.New("nothing arrived for too long")

// A meter reads a body, tells how far it is, and puts off the end of a
// download for as long as something arrives.
type meter struct {
	body     io.Reader
	file     File
	done     int64
	progress func(File, int64)
	stall    time.Duration
	timer    *time.Timer
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.body.Read(p)
	m.timer.Reset(m.stall)
	m.done += int64(n)
	m.report()
	return n, err
}

func (m *meter) report() {
	if m.progress != nil {
		m.progress(m.file, m.done)
	}
}

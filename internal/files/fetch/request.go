package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
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

// request asks for the bytes of a file after the first ones.
func (f *Fetcher) request(ctx context.Context, folder *os.Root, file File, from int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, file.URL, http.NoBody)
	if err != nil {
		return nil, err
	}
	// A transport would else ask for gzip, whose ranges are not the file's.
	req.Header.Set("Accept-Encoding", "identity")
	if from > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(from, 10)+"-")
		// Should the version have changed, the server sends all of it.
		if tag := readTag(folder, file); tag != "" {
			req.Header.Set("If-Range", tag)
		}
	}
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

// rangeStart returns where the range that a reply brings begins.
func rangeStart(resp *http.Response) (int64, bool) {
	text, ok := strings.CutPrefix(resp.Header.Get("Content-Range"), "bytes ")
	if !ok {
		return 0, false
	}
	text, _, _ = strings.Cut(text, "-")
	start, err := strconv.ParseInt(text, 10, 64)
	return start, err == nil
}

// keepTag notes which version of the file the part belongs to. Only a strong
// tag stands for the same bytes.
func keepTag(folder *os.Root, file File, resp *http.Response) error {
	tag := resp.Header.Get("ETag")
	if tag == "" || strings.HasPrefix(tag, "W/") || len(tag) > 200 {
		_ = folder.Remove(file.Name + tagSuffix) // it may not be there
		return nil
	}
	if err := folder.WriteFile(file.Name+tagSuffix, []byte(tag), 0o644); err != nil {
		return inFolder(folder, file.Name+tagSuffix, err)
	}
	return nil
}

// readTag returns the noted version, or "".
func readTag(folder *os.Root, file File) string {
	data, err := folder.ReadFile(file.Name + tagSuffix)
	if err != nil || strings.ContainsAny(string(data), "\r\n") {
		return ""
	}
	return string(data)
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

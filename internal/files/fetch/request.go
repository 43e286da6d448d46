package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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

package main

import (
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"runtime"
)

// openBrowser opens an address in the system's browser. The address holds a token,
// and other users can read the arguments of processes: the browser is given a file of
// this user that leads there. Forget removes it.
func openBrowser(ctx context.Context, address string) (forget func(), err error) {
	f, err := os.CreateTemp("", "bench-view-*.html")
	if err != nil {
		return func() {}, err
	}
	forget = func() { _ = os.Remove(f.Name()) } // the system empties the folder
	_, err = fmt.Fprintf(f, "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url=%s\">\n", html.EscapeString(address))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return forget, err
	}
	name, args := "xdg-open", []string{f.Name()}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", f.Name()}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	if err := cmd.Start(); err != nil {
		return forget, err
	}
	go cmd.Wait() //nolint:errcheck // nothing depends on how it ends
	return forget, nil
}

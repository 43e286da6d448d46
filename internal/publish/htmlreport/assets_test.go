package htmlreport_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/testkit/try"
)

// TestSources finds in the sources what could turn a text into markup or program.
func TestSources(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|dangerouslySetInnerHTML|javascript:|style=|DOMParser`)
	files, err := filepath.Glob("app/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources of the page (%v)", err)
	}
	for _, name := range append(files, "page/page.html.tmpl") {
		data := try.Get(os.ReadFile(name))(t)
		if found := forbidden.Find(data); found != nil {
			t.Errorf("%s has %q; texts become text nodes alone", name, found)
		}
	}
}

func TestAssets(t *testing.T) {
	all, packed := 0, counter(0)
	gz := gzip.NewWriter(&packed)
	for _, a := range htmlreport.Assets() {
		all += len(a.Data)
		try.Get(gz.Write(a.Data))(t)
	}
	try.Do(t, gz.Close())
	if all > 200_000 || packed > 60_000 {
		t.Errorf("the bundle has %d bytes, %d packed; want at most 200000 and 60000", all, packed)
	}
}

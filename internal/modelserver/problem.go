package modelserver

import "net/http"

// A problem is what an error reply says.
type problem struct {
	status  int
	kind    string
	code    string
	param   string
	message string
}

// fail replies with an error in the words of the server that has the path.
func fail(w http.ResponseWriter, path string, p problem) {
	optional := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	var body map[string]any
	if path == "/predict" {
		body = map[string]any{"error": p.message, "error_type": p.kind}
	} else {
		body = map[string]any{"error": map[string]any{
			"message": p.message, "type": p.kind, "param": optional(p.param), "code": optional(p.code),
		}}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	_, _ = w.Write(encode(body)) // the client may be gone
}

// Package text is the parent of the packages for text without models: English (english),
// Python's words (pytext), expressions of time (timex), suggestions for names (suggest),
// and text that is safe to print (termsafe, latex, redact).
package text

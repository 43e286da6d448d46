// Package publish is the wing of what readers get: tables and figures (report, figure), the
// HTML page (htmlreport), the index of runs and the server of `bench view` (catalog,
// server), the papers' numbers (published), the verdict of CI (gate) and the formats
// of other tools (interchange).
package publish

// Package publish is the wing of what readers get: tables and figures (report, figure), the
// HTML page (htmlreport), the papers' numbers (published), the verdict of CI (gate)
// and the formats of other tools (interchange).
package publish

// Package publish is the wing of what readers get: tables and figures (report, figure), the
// HTML page (htmlreport), several judges side by side (judges), the index of runs, the
// follower of those in progress and the server of `bench view` (catalog, live, server),
// the papers' numbers (published), the verdict of CI (gate) and the formats of other
// tools (interchange).
package publish

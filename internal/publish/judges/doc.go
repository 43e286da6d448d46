// Package judges lays out what several judges say of the same answers: their scores side
// by side, how far they agree, which differences of rows hold under all of them, and how
// far one can be trusted by labels.
package judges

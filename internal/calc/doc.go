// Package calc is the parent of the packages for numbers and lists: statistics (stats),
// decisions between two sides (infer), corrected rates of judges (calibrate), vectors
// (vector) and lists (lists).
package calc

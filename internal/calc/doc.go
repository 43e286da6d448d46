// Package calc is the wing of numbers and lists: statistics (stats), decisions between two
// sides (infer), corrected rates of judges (calibrate), vectors (vector) and lists (lists).
package calc

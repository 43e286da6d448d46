// Package lists derives lists from lists: what package slices leaves to loops.
package lists

import "slices"

// Map returns what f makes of each element, nil where there is none.
func Map[T, U any](list []T, f func(T) U) []U {
	if len(list) == 0 {
		return nil
	}
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// Filter returns the elements for which keep is true, nil where there is none.
// It leaves the list as it is.
func Filter[T any](list []T, keep func(T) bool) []T {
	var out []T
	for _, x := range list {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// Distinct returns the values that f has for the elements, each once, in the order
// in which they first come.
func Distinct[T any, K comparable](list []T, f func(T) K) []K {
	var out []K
	for _, x := range list {
		out = AddNew(out, f(x))
	}
	return out
}

// AddNew appends the values that a list does not have yet.
func AddNew[K comparable](list []K, values ...K) []K {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

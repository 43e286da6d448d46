// Package lists derives lists from lists: what package slices leaves to loops.
package lists

import (
	"errors"
	"slices"
)

// Map returns the results of f for each element, nil if there are none.
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

// Try returns the results of f for each element, or all errors of f.
func Try[T, U any](list []T, f func(T) (U, error)) ([]U, error) {
	var faults []error
	out := Map(list, func(x T) U {
		y, err := f(x)
		faults = append(faults, err)
		return y
	})
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return out, nil
}

// Filter returns the elements for which keep is true, nil if there are none. It
// leaves the list unchanged.
func Filter[T any](list []T, keep func(T) bool) []T {
	var out []T
	for _, x := range list {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// Distinct returns the values of f for the elements, each once, in order of first
// appearance.
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

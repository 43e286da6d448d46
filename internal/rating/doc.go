// Package rating exports answers for people to rate and reads their ratings.
package rating

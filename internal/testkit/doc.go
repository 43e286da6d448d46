// Package testkit is the wing of what only tests import: golden files, the layers of the house
// (importtest), a fake model server, real data, histories made up, long tests and errors that end a test (try).
package testkit

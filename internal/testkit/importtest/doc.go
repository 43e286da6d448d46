// Package importtest checks the direction of imports and which packages may see
// gold answers. Its test runs over the whole module.
//
// [House] lists the layers from top to bottom. A package belongs to one layer
// and imports only packages of the layers that its own layer names, all of
// them further down. Packages of one layer do not import each other unless the
// layer says which. A package that no layer lists is a fault: a new one is
// put where it belongs, in layers_test.go, before anything imports it.
//
// The test files of a package may import more: anything below the command, the
// runner, the reports and the records, and the packages that only tests use.
package importtest

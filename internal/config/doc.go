// Package config reads the YAML file that describes a run.
//
// [Load] decodes a file strictly: an unknown key, type or plug-in name is a fault with file,
// line and column, a suggestion and the allowed values. All faults of a file are reported at
// once. It fills in every default, so that the result has everything that a run depends on;
// [Config.Marshal] writes it as a file again.
//
// docs/config.md describes the keys; [Schema] is for editors.
package config

// Package config reads the YAML file that describes a run.
//
// [Load] decodes a file strictly: a key, type or plug-in name that is not known is a
// fault with file, line and column, the near miss and the allowed values. All faults
// of a file come at once. It fills in every default, so that what comes out says all
// that a run depends on; [Config.Marshal] writes it down again.
//
// docs/config.md describes the keys; [Schema] is for editors.
package config

// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	documentType    = "Plugins"
	documentVersion = "1.0.0"
)

// document is a plugins file: which plugins to install, and from where.
type document struct {
	SchemaType    string
	SchemaVersion string
	Plugins       map[string]pluginOptions
}

// In a JSON file Porter reads the keys in any case, and all four of them.
type jsonPlugin struct {
	Version string
	URL     string
	FeedURL string
	Mirror  string
}

// In a YAML file Porter reads lower-case keys only, so that the documented
// feedURL is dropped without a word; and it finds the mirror one level down,
// under a key that nobody writes.
type yamlPlugin struct {
	Version  string `yaml:"version"`
	URL      string `yaml:"url"`
	FeedURL  string `yaml:"feedurl"`
	Download struct {
		Mirror string `yaml:"mirror"`
	} `yaml:"packagedownloadoptions"`
}

func readDocument(path string) (document, error) {
	doc, err := decodeDocument(path)
	if err != nil {
		return doc, fmt.Errorf("unable to parse %s as an installation document: %w", path, err)
	}
	return doc, doc.validate()
}

func decodeDocument(path string) (document, error) {
	data, format, err := readFormatted(path)
	if err != nil {
		return document{}, err
	}
	if format == jsonFormat {
		return decodeJSON(data)
	}
	return decodeYAML(data)
}

func decodeJSON(data []byte) (document, error) {
	var file struct {
		SchemaType    string
		SchemaVersion string
		Plugins       map[string]jsonPlugin
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return document{}, err
	}
	doc := document{file.SchemaType, file.SchemaVersion, map[string]pluginOptions{}}
	for name, p := range file.Plugins {
		doc.Plugins[name] = pluginOptions{
			name: name, version: p.Version, url: p.URL, feedURL: p.FeedURL, mirror: p.Mirror}
	}
	return doc, nil
}

func decodeYAML(data []byte) (document, error) {
	var file struct {
		SchemaType    string                `yaml:"schemaType"`
		SchemaVersion string                `yaml:"schemaVersion"`
		Plugins       map[string]yamlPlugin `yaml:"plugins"`
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		return document{}, err
	}
	doc := document{file.SchemaType, file.SchemaVersion, map[string]pluginOptions{}}
	for name, p := range file.Plugins {
		doc.Plugins[name] = pluginOptions{
			name: name, version: p.Version, url: p.URL, feedURL: p.FeedURL, mirror: p.Download.Mirror}
	}
	return doc, nil
}

func (d document) validate() error {
	if d.SchemaType != "" && !strings.EqualFold(d.SchemaType, documentType) {
		return fmt.Errorf("invalid schemaType %s, expected %s", d.SchemaType, documentType)
	}
	if d.SchemaVersion == documentVersion {
		return nil
	}
	given := d.SchemaVersion
	if given == "" {
		given = "(none)"
	}
	return fmt.Errorf("invalid schemaVersion provided: %s. This version of Porter is compatible with %s.",
		given, documentVersion)
}

// sorted lists the plugins in the order in which Porter installs them.
func (d document) sorted() []pluginOptions {
	plugins := make([]pluginOptions, 0, len(d.Plugins))
	for _, plugin := range d.Plugins {
		plugins = append(plugins, plugin)
	}
	slices.SortFunc(plugins, func(a, b pluginOptions) int { return strings.Compare(a.name, b.name) })
	return plugins
}

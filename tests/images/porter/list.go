// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// metadata is what a plugin tells about itself.
type metadata struct {
	Name            string           `json:"name"`
	Version         string           `json:"version"`
	Commit          string           `json:"commit"`
	Author          string           `json:"author,omitempty"`
	Implementations []implementation `json:"implementations"`
}

type implementation struct {
	Type string `json:"type"`
	Name string `json:"implementation"`
}

func (a *app) listPlugins(args []string) error {
	format := "plaintext"
	flags := flagSet{values: map[string]*string{"output": &format}, short: map[string]string{"o": "output"}}
	if _, err := flags.parse(args); err != nil {
		return err
	}
	if format != "json" && format != "plaintext" {
		return fmt.Errorf("invalid format: %s", format)
	}
	plugins, err := a.installed()
	if err != nil {
		return err
	}
	if format == "json" {
		return a.printJSON(plugins)
	}
	return a.printTable(plugins)
}

// installed asks every plugin for its version. Like Porter, it takes every
// directory for a plugin, and keeps an empty place for one that does not answer.
func (a *app) installed() ([]metadata, error) {
	directory := a.pluginsDirectory()
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, fmt.Errorf("could not list the contents of the plugins directory %q: %w", directory, err)
	}
	plugins := []metadata{}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		about, err := a.ask(entry.Name())
		if err != nil {
			fmt.Fprintf(a.errOut, "could not get version from plugin %s: %s\n", entry.Name(), err)
		}
		plugins = append(plugins, about)
	}
	return plugins, nil
}

// ask runs an installed plugin to learn what it is.
func (a *app) ask(name string) (metadata, error) {
	var about metadata
	var answer bytes.Buffer
	program := filepath.Join(a.pluginsDirectory(), name, name)
	command := exec.Command(program, "version", "--output", "json")
	command.Stdout, command.Stderr = &answer, a.errOut
	if err := command.Start(); err != nil {
		return about, fmt.Errorf("could not run package command %s: %w", strings.Join(command.Args, " "), err)
	}
	if err := command.Wait(); err != nil {
		return about, err
	}
	return about, json.Unmarshal(answer.Bytes(), &about)
}

func (a *app) printTable(plugins []metadata) error {
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "Name\tVersion\tAuthor")
	for _, plugin := range plugins {
		fmt.Fprintf(table, "%s\t%s\t%s\n", plugin.Name, plugin.Version, plugin.Author)
	}
	return table.Flush()
}

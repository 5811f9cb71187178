// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	format := plaintextFormat
	flags := flagSet{values: map[string]*string{"output": &format}, short: map[string]string{"o": "output"}}
	if _, err := flags.parse(args); err != nil {
		return err
	}
	if err := checkFormat(format); err != nil {
		return err
	}
	plugins, err := a.installed()
	if err != nil {
		return err
	}
	if format == jsonFormat {
		return a.printJSON(plugins)
	}
	rows := [][]string{}
	for _, plugin := range plugins {
		rows = append(rows, []string{plugin.Name, plugin.Version, plugin.Author})
	}
	return a.printTable([]string{"Name", "Version", "Author"}, rows)
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
		if entry.Name() == os.Getenv("STANDIN_SILENT") {
			about, err = metadata{}, errors.New("no answer, as STANDIN_SILENT asks")
		}
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

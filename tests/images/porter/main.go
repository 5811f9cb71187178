// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

// Command porter stands in for Porter: it installs and lists plugins as the
// real one does, and knows no other command yet.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	// The release whose behaviour this program follows.
	porterVersion = "v1.6.1"
	// Says in every log which Porter this was.
	porterCommit = "stand-in"
)

type app struct {
	home   string
	out    io.Writer
	errOut io.Writer
}

type command func(a *app, args []string) error

// Every command has its words as key; more commands can be added here.
var commands = map[string]command{
	"version":         (*app).version,
	"plugins install": (*app).installPlugins,
	"plugins list":    (*app).listPlugins,
}

// Words that mean the same to Porter.
var aliases = map[string]string{"plugin": "plugins"}

func main() {
	a := &app{home: homeDirectory(), out: os.Stdout, errOut: os.Stderr}
	if err := a.run(os.Args[1:]); err != nil {
		fmt.Fprintln(a.errOut, err)
		os.Exit(1)
	}
}

func homeDirectory() string {
	if home := os.Getenv("PORTER_HOME"); home != "" {
		return home
	}
	return filepath.Join(os.Getenv("HOME"), ".porter")
}

func (a *app) pluginsDirectory() string {
	return filepath.Join(a.home, "plugins")
}

func (a *app) run(args []string) error {
	for len(args) > 0 && ignoredSwitches[strings.TrimPrefix(args[0], "--")] {
		args = args[1:]
	}
	if len(args) == 0 {
		return fmt.Errorf("no command was given to this stand-in for Porter")
	}
	words := []string{args[0]}
	if word, ok := aliases[args[0]]; ok {
		words[0] = word
	}
	if run, ok := commands[words[0]]; ok {
		return run(a, args[1:])
	}
	if len(args) > 1 {
		if run, ok := commands[words[0]+" "+args[1]]; ok {
			return run(a, args[2:])
		}
		if isGroup(words[0]) {
			return fmt.Errorf("unknown command %q for \"porter %s\"", args[1], words[0])
		}
	}
	return fmt.Errorf("unknown command %q for \"porter\"", args[0])
}

func isGroup(word string) bool {
	for name := range commands {
		if strings.HasPrefix(name, word+" ") {
			return true
		}
	}
	return false
}

func (a *app) version(args []string) error {
	format := "plaintext"
	flags := flagSet{values: map[string]*string{"output": &format}, short: map[string]string{"o": "output"}}
	if _, err := flags.parse(args); err != nil {
		return err
	}
	switch format {
	case "json":
		return a.printJSON(struct {
			Name    string `json:"name"`
			Version string `json:"version"`
			Commit  string `json:"commit"`
		}{"porter", porterVersion, porterCommit})
	case "plaintext":
		_, err := fmt.Fprintf(a.out, "porter %s (%s)\n", porterVersion, porterCommit)
		return err
	default:
		return fmt.Errorf("unsupported format, %s. Supported formats are: json and plaintext", format)
	}
}

func (a *app) printJSON(value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, string(text))
	return err
}

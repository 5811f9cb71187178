// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"
	"strings"
)

type command func(a *app, args []string) error

// Every command has its words as key.
var commands = map[string]command{
	"version":         (*app).version,
	"plugins install": (*app).installPlugins,
	"plugins list":    (*app).listPlugins,

	"installations apply":       (*app).applyInstallation,
	"installations list":        (*app).listInstallations,
	"installations output list": (*app).listOutputs,
	"installations output show": (*app).showOutput,
	"installations show":        (*app).showInstallation,
	"installations uninstall":   (*app).uninstall,
	"list":                      (*app).listInstallations,
	"show":                      (*app).showInstallation,
	"uninstall":                 (*app).uninstall,

	"credentials apply": credentialSets.apply,
	"credentials list":  credentialSets.list,
	"parameters apply":  parameterSets.apply,
	"parameters list":   parameterSets.list,

	// Porter has none of these.
	"standin-echo":  (*app).echo,
	"standin-log":   (*app).log,
	"standin-sleep": (*app).sleep,
}

// Words that mean the same to Porter, each after the words before it.
var aliases = map[string]string{
	"plugin":                "plugins",
	"inst":                  "installations",
	"installation":          "installations",
	"installations outputs": "output",
	"cred":                  "credentials",
	"credential":            "credentials",
	"creds":                 "credentials",
	"credentials ls":        "list",
	"param":                 "parameters",
	"parameter":             "parameters",
	"params":                "parameters",
	"parameters ls":         "list",
}

// findCommand takes the words of a command from the front of the arguments.
func findCommand(args []string) (command, []string, error) {
	group := ""
	for i, arg := range args {
		name := below(group, arg)
		if word, ok := aliases[name]; ok {
			name = below(group, word)
		}
		if run, ok := commands[name]; ok {
			return run, args[i+1:], nil
		}
		if !isGroup(name) {
			return nil, nil, fmt.Errorf("unknown command %q for %q", arg, below("porter", group))
		}
		group = name
	}
	return nil, nil, errors.New("no command was given to this stand-in for Porter")
}

func below(group, word string) string {
	return strings.TrimSpace(group + " " + word)
}

func isGroup(words string) bool {
	for name := range commands {
		if strings.HasPrefix(name, words+" ") {
			return true
		}
	}
	return false
}

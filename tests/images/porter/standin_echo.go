// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"getporter.local/images/internal/mounted"
)

// Variables with these beginnings are shown: those that somebody gave to the
// agent, and none that the machine or the image has anyway.
var echoedVariables = []string{"PORTER_", "ECHO_", "KUBE", "JOB_VOLUME", "IN_CLUSTER", "SERVICE_ACCOUNT"}

// received is all that reached this program.
type received struct {
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Files   map[string]string `json:"files"`
	Workdir string            `json:"workdir"`
}

// echo shows a test what came through to Porter.
func (a *app) echo(args []string) error {
	files, err := a.copiedFiles()
	if err != nil {
		return err
	}
	workdir, err := os.Getwd()
	if err != nil {
		return err
	}
	// Without arguments too, the list is a list.
	args = append([]string{}, args...)
	return a.printJSON(received{args, echoedEnvironment(), files, workdir})
}

func echoedEnvironment() map[string]string {
	env := map[string]string{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		for _, beginning := range echoedVariables {
			if strings.HasPrefix(name, beginning) {
				env[name] = value
			}
		}
	}
	return env
}

// copiedFiles reads what the agent copied, where it was copied to.
func (a *app) copiedFiles() (map[string]string, error) {
	files := map[string]string{}
	names, err := mounted.Files(firstOf(os.Getenv("PORTER_CONFIG"), "/porter-config"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(a.home, name))
		if err != nil {
			return nil, err
		}
		files[name] = string(text)
	}
	return files, nil
}

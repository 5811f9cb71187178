// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

// Package mounted knows which files of a mounted configuration Porter's agent
// takes: the agent copies them, and the echo command shows what arrived.
package mounted

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// Files lists them by their paths below the directory.
func Files(directory string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(directory, path)
		// The kubelet keeps the real files in hidden directories (..data);
		// what is to be copied are the symbolic links beside them.
		if err == nil && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

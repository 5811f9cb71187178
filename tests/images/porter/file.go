// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"
)

const yamlFormat = "yaml"

// readFormatted reads a file and tells its format, which the extension says.
func readFormatted(path string) (data []byte, format string, err error) {
	data, err = os.ReadFile(path)
	if err != nil {
		return nil, "", fmt.Errorf("error reading file %s: %w", path, err)
	}
	switch format := strings.TrimPrefix(filepath.Ext(path), "."); format {
	case "json":
		return data, jsonFormat, nil
	case "yaml", "yml":
		return data, yamlFormat, nil
	default:
		return nil, "", fmt.Errorf("unsupported format %s. Supported formats are: yaml, json and toml.", format)
	}
}

func unmarshalFile(path string, out any) error {
	data, format, err := readFormatted(path)
	if err != nil {
		return err
	}
	if format == jsonFormat {
		return json.Unmarshal(data, out)
	}
	return yaml.Unmarshal(data, out)
}

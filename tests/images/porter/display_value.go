// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// displayValue is a parameter or an output as Porter shows it.
type displayValue struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Sensitive bool   `json:"sensitive"`
	Value     any    `json:"value"`
}

func byName(a, b displayValue) int {
	return strings.Compare(a.Name, b.Name)
}

// displayValues lists parameters by name.
func displayValues(parameters map[string]any) []displayValue {
	values := []displayValue{}
	for name, value := range parameters {
		values = append(values, displayValue{Name: name, Type: typeOf(value), Value: value})
	}
	slices.SortFunc(values, byName)
	return values
}

// typeOf guesses what a bundle would say about a value.
func typeOf(value any) string {
	switch value := value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case int:
		return "integer"
	case float64:
		// JSON has one kind of numbers only.
		if value == float64(int64(value)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	default:
		return "object"
	}
}

// textOf is a value as bundles get it: strings as they are, else JSON.
func textOf(value any) (string, error) {
	if text, ok := value.(string); ok {
		return text, nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}

func valueRows(values []displayValue) ([][]string, error) {
	rows := [][]string{}
	for _, value := range values {
		text, err := textOf(value.Value)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{value.Name, value.Type, shortened(text)})
	}
	return rows, nil
}

// shortened cuts a text to the width of Porter's tables.
func shortened(text string) string {
	const width = 60
	if len(text) <= width {
		return text
	}
	return text[:width-3] + "..."
}

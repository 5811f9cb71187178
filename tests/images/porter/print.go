// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
)

const (
	jsonFormat      = "json"
	plaintextFormat = "plaintext"
)

func checkFormat(format string) error {
	if format != jsonFormat && format != plaintextFormat {
		return fmt.Errorf("invalid format: %s", format)
	}
	return nil
}

func (a *app) printJSON(value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, string(text))
	return err
}

func (a *app) printTable(header []string, rows [][]string) error {
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(header, "\t"))
	for _, row := range rows {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

// info tells what goes on; standard output belongs to results.
func (a *app) info(format string, values ...any) {
	fmt.Fprintf(a.errOut, format+"\n", values...)
}

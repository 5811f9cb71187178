// Copyright: Contributors to the getporter.porter collection
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build ignore

// Writes go_urls.json again, with the outputs of the Go release that runs it:
//
//	go run go_urls.go < go_urls.json > new.json && mv new.json go_urls.json
package main

import (
	"encoding/json"
	"net/url"
	"os"
)

func main() {
	var pairs [][2]*string
	if err := json.NewDecoder(os.Stdin).Decode(&pairs); err != nil {
		panic(err)
	}
	for i, pair := range pairs {
		pairs[i][1] = nil
		if parsed, err := url.Parse(*pair[0]); err == nil {
			text := parsed.String()
			pairs[i][1] = &text
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(pairs); err != nil {
		panic(err)
	}
}
